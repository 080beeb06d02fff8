//! Tests of the lists alone: what is freed is what was allocated since.

use super::*;

/// Takes `count` slots of a size, as a heap does; their addresses.
fn take(lists: &mut Lists, slot_bytes: usize, count: usize) -> Vec<NonNull<u8>> {
    let one = |_| match lists.take(slot_bytes) {
        Some(at) => at,
        None => {
            if !lists.switch(slot_bytes) {
                lists.grow(usize::MAX);
            }
            lists.take(slot_bytes).unwrap()
        }
    };
    (0..count).map(one).collect()
}

fn close(lists: &mut Lists, mark: Mark) -> (usize, usize) {
    // SAFETY: the tests do not use what was freed.
    let freed = unsafe { lists.close(mark) };
    lists.validate(0).unwrap();
    freed
}

const SIZES: [usize; 4] = [16, 256, 48, 16];

/// Slots of several sizes, one after the other.
fn mix(lists: &mut Lists) -> Vec<NonNull<u8>> {
    SIZES.iter().flat_map(|&bytes| take(lists, bytes, 3)).collect()
}

const MIXED: (usize, usize) = (12, 3 * (16 + 256 + 48 + 16));

#[test]
fn closing_frees_what_was_allocated_since_whatever_its_size() {
    let mut lists = Lists::new(1 << 10);
    let outer = lists.mark();
    let first = mix(&mut lists);
    let inner = lists.mark();
    let second = mix(&mut lists);
    let innermost = lists.mark();
    take(&mut lists, 16, 100);
    assert_eq!(close(&mut lists, innermost), (100, 1_600));
    assert_eq!(close(&mut lists, inner), MIXED);
    assert_eq!(lists.mark(), inner);
    assert_eq!(mix(&mut lists), second, "the same slots again, in the same order");
    close(&mut lists, inner);
    assert_eq!(close(&mut lists, outer), MIXED);
    assert_eq!((lists.cells(), lists.switches.len()), (0, 0));
    assert_eq!(mix(&mut lists), first);
}

#[test]
fn a_fence_keeps_what_is_older() {
    let mut lists = Lists::new(1 << 10);
    let outer = lists.mark();
    mix(&mut lists);
    let before = lists.mark();
    take(&mut lists, 16, 2);
    lists.fence();
    let number = lists.open;
    lists.fence();
    assert_eq!(lists.open, number, "no second fence in the same place");
    let after = lists.mark();
    mix(&mut lists);
    assert_eq!(close(&mut lists, after), MIXED);
    mix(&mut lists);
    assert_eq!(close(&mut lists, before), MIXED, "back to the fence only");
    assert_eq!(close(&mut lists, outer), (0, 0));
    assert_eq!(lists.cells(), MIXED.0 + 2);
    // SAFETY: nothing refers to them.
    assert_eq!(unsafe { lists.free_all() }, (MIXED.0 + 2, MIXED.1 + 32));
    lists.validate(0).unwrap();
}

#[test]
fn a_sweep_keeps_the_marked_in_order_and_frees_the_rest_in_order() {
    let mut lists = Lists::new(1 << 10);
    let cells = take(&mut lists, 16, 10);
    take(&mut lists, 48, 1);
    let mark = lists.mark();
    for &at in cells.iter().step_by(3) {
        // SAFETY: a slot of these lists.
        assert!(unsafe { lists.slabs().mark(at.as_ptr()) });
    }
    // SAFETY: the tests do not use what is freed.
    let freed = unsafe { lists.sweep() };
    assert_eq!(freed, (7, 6 * 16 + 48));
    lists.validate(0).unwrap();
    assert_eq!((lists.cells(), lists.old_bytes()), (4, 64));
    let again = take(&mut lists, 16, 6);
    let dead: Vec<_> = (0..10).filter(|place| place % 3 != 0).map(|place| cells[place]).collect();
    assert_eq!(again, dead);
    assert_eq!(close(&mut lists, mark), (6, 96), "old objects are behind the fence");
    lists.rejuvenate();
    // SAFETY: as above.
    assert_eq!(unsafe { lists.sweep() }, (4, 64));
    assert_eq!(lists.cells(), 0);
    lists.validate(0).unwrap();
}

#[test]
fn when_the_numbers_are_spent_nothing_is_freed_by_marks() {
    for steps_before in 1..4 {
        let mut lists = Lists::new(1 << 10);
        lists.fence = Mark { used: 0, number: SPENT - steps_before };
        (lists.top, lists.open) = (lists.fence, lists.fence.number);
        let mut marks = vec![lists.mark()];
        for bytes in [16, 32, 16, 48, 16] {
            take(&mut lists, bytes, 2);
            lists.validate(0).unwrap();
            marks.push(lists.mark());
            lists.fence();
        }
        assert_eq!(lists.open, NONE);
        for mark in marks {
            assert_eq!(close(&mut lists, mark), (0, 0));
        }
        // SAFETY: the tests do not use what is freed.
        assert_eq!(unsafe { lists.sweep() }.0, 10);
        lists.validate(0).unwrap();
        // SAFETY: as above.
        unsafe { lists.free_all() };
        let mark = lists.mark();
        mix(&mut lists);
        assert_eq!(close(&mut lists, mark), MIXED, "numbers begin anew");
    }
}

#[test]
fn broken_lists_are_found_out() {
    let broken = |what: fn(&mut Lists)| {
        let mut lists = Lists::new(1 << 10);
        mix(&mut lists);
        lists.validate(0).unwrap();
        what(&mut lists);
        assert!(lists.validate(0).is_err());
    };
    broken(|lists| lists.lists[0].slots[1] = lists.lists[0].slots[0]);
    broken(|lists| lists.lists[0].end -= 1);
    broken(|lists| lists.top.used = lists.lists[0].end + 1);
    broken(|lists| lists.lists[2].old = 1);
    broken(|lists| lists.switches[0].used = 99);
    broken(|lists| lists.fence.number += 1);
    broken(|lists| {
        let at = lists.lists[0].slots[0];
        // SAFETY: a slot of these lists.
        unsafe { lists.slabs.mark(at) };
    });
}

#[test]
fn slots_larger_than_a_slab_and_the_least_room_are_served() {
    let mut lists = Lists::new(1 << 10);
    let large = take(&mut lists, 1 << 20, 2);
    // SAFETY: a slot of these lists; all of it may be written.
    unsafe {
        large[0].as_ptr().write_bytes(0xAA, 1 << 20);
        assert!(lists.slabs().mark(large[1].as_ptr()));
        assert!(!lists.slabs().is_marked(large[0].as_ptr()));
        assert_eq!(lists.sweep(), (1, 1 << 20));
    }
    lists.validate(0).unwrap();
    lists.switch(16);
    lists.grow(0);
    lists.validate(0).unwrap();
    assert!(lists.take(16).is_some() && lists.take(16).is_none(), "one slot at least");
}
