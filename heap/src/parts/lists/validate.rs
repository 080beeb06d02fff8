//! The checks that zeal mode and tests do.

use super::{LISTS, Lists, NONE, list_bytes, list_of};
use std::ptr::NonNull;

impl Lists {
    /// Whether an object lies at an address, which may be any. For checks only;
    /// slow where there are many young objects.
    pub fn may_hold(&self, at: NonNull<u8>, slot_bytes: usize) -> bool {
        let (index, at) = (list_of(slot_bytes), at.as_ptr());
        let young = self.lists[index].old as usize..self.used(index);
        // SAFETY: a slot of ours, by the first test.
        self.slabs.holds(at, slot_bytes)
            && (unsafe { self.slabs.is_marked(at) } || self.lists[index].slots[young].contains(&at))
    }

    /// Checks all lists, the log and the bits, given how many objects are
    /// remembered.
    pub fn validate(&self, remembered: usize) -> Result<(), String> {
        for (index, list) in self.lists.iter().enumerate() {
            let bytes = list_bytes(index);
            let used = self.used(index);
            if used > list.slots() as usize || list.old as usize > used {
                return Err(format!("the boundaries of the list of {bytes} bytes are wrong"));
            }
            if list.end != if index == self.current { list.slots() } else { 0 } {
                return Err(format!("the end of the list of {bytes} bytes is wrong"));
            }
        }
        let listed = self.lists.iter().enumerate().flat_map(|(index, list)| {
            let slots = &list.slots[..list.slots() as usize];
            slots.iter().map(move |&at| (at, list_bytes(index)))
        });
        self.slabs.validate(listed)?;
        let old_slots = self.lists.iter().flat_map(|list| &list.slots[..list.old as usize]);
        // SAFETY: slots of ours, as was seen above.
        if !old_slots.clone().all(|&at| unsafe { self.slabs.is_marked(at) }) {
            return Err("an old object is not marked".into());
        }
        let old = old_slots.count();
        if self.slabs.set_bits() != (old, remembered) {
            return Err(format!("{:?} bits for {old} old objects", self.slabs.set_bits()));
        }
        self.validate_switches()
    }

    /// Undoes all switches and looks where that leads.
    fn validate_switches(&self) -> Result<(), String> {
        let mut used: [usize; LISTS] = std::array::from_fn(|index| self.used(index));
        let mut current = self.current;
        for switch in self.switches.iter().rev() {
            if switch.used as usize > used[current] || switch.from as usize == current {
                return Err("a switch leads nowhere".into());
            }
            used[current] = switch.used as usize;
            current = switch.from as usize;
        }
        let old = (0..LISTS).all(|index| self.lists[index].old as usize <= used[index]);
        let number = self.fence.number as usize + self.switches.len();
        if self.open != NONE
            && (!old || used[current] < self.fence.used as usize || number != self.open as usize)
        {
            return Err("the log of switches does not lead to the fence".into());
        }
        Ok(())
    }
}
