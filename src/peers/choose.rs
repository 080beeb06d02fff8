//! Which peers are meant.

use super::Variant;
use crate::exit::Stop;
use crate::values::{did_you_mean, nearest};
use anyhow::anyhow;

/// What means every peer.
const ALL: &str = "all";

/// The peers of these names, each once and in the order of the folder. A name
/// is that of a variant, or of a folder where no variant has it; `ocaml/` means
/// the folder in any case.
///
/// # Errors
///
/// [`crate::exit::Exit::BadInput`]: a name that none has.
pub fn chosen(variants: &[Variant], names: &[String]) -> Result<Vec<Variant>, Stop> {
    let is_variant = |name: &str| variants.iter().any(|variant| variant.name == name);
    let means = |variant: &Variant, name: &str| match name.strip_suffix('/') {
        Some(folder) => folder == variant.folder,
        None if name == ALL || name == variant.name => true,
        None => name == variant.folder && !is_variant(name),
    };
    for name in names {
        if !variants.iter().any(|variant| means(variant, name)) {
            let known = variants.iter().flat_map(|v| [v.name.as_str(), v.folder.as_str()]);
            let meant = did_you_mean(&nearest(name, known));
            let why = format!("no peer is called '{name}'; {meant}'rc-vs-gc peers list' names all");
            return Err(Stop::bad_input(anyhow!(why)));
        }
    }
    let chosen = variants.iter().filter(|v| names.iter().any(|name| means(v, name)));
    Ok(chosen.cloned().collect())
}

/// Those that run one program: n-queens, or an allocation study.
///
/// # Errors
///
/// [`crate::exit::Exit::BadInput`]: a name that none has; one all of whose peers run another program.
pub fn of_program(
    variants: &[Variant],
    names: &[String],
    study: Option<&str>,
) -> Result<Vec<Variant>, Stop> {
    let runs_it = |variant: &&Variant| variant.study.as_deref() == study;
    for name in names {
        let named = chosen(variants, std::slice::from_ref(name))?;
        if let (None, Some(other)) = (named.iter().find(runs_it), named.first()) {
            let of = |study: Option<&str>| study.unwrap_or("n-queens").to_owned();
            let (own, other) = (of(study), of(other.study.as_deref()));
            let why = format!("--peers '{name}': runs {other}, not {own}");
            return Err(Stop::bad_input(anyhow!(why)));
        }
    }
    let chosen = chosen(variants, names)?;
    Ok(chosen.into_iter().filter(|variant| runs_it(&variant)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::files::tests::variants;

    #[test]
    fn a_name_is_a_variant_or_else_a_folder() {
        let all = [variants("a", &["a", "a-b"]), variants("c", &["c-d", "c-e"])].concat();
        let names = |given: &str| -> Result<Vec<String>, String> {
            let given: Vec<String> = given.split(',').map(str::to_owned).collect();
            let chosen = chosen(&all, &given).map_err(|stop| stop.to_string())?;
            Ok(chosen.into_iter().map(|variant| variant.name).collect())
        };
        assert_eq!(names("a").unwrap(), ["a"]);
        assert_eq!(names("a/").unwrap(), ["a", "a-b"]);
        assert_eq!(names("c-e,c,a-b").unwrap(), ["a-b", "c-d", "c-e"]);
        assert_eq!(names("all").unwrap().len(), 4);
        assert!(names("c-f").unwrap_err().contains("did you mean c-d or c-e?"));
        assert!(names("d/").is_err());
    }

    #[test]
    fn peers_of_other_programs_are_refused() {
        let mut of_burst = variants("c", &["c-d"]);
        of_burst[0].study = Some("burst".to_owned());
        let all = [variants("a", &["a", "a-b"]), of_burst].concat();
        let names = |given: &str, study| -> Result<Vec<String>, String> {
            let chosen = of_program(&all, &[given.to_owned()], study);
            let chosen = chosen.map_err(|stop| stop.to_string())?;
            Ok(chosen.into_iter().map(|variant| variant.name).collect())
        };
        assert_eq!(names("all", None).unwrap(), ["a", "a-b"]);
        assert_eq!(names("all", Some("burst")).unwrap(), ["c-d"]);
        assert_eq!(names("a", Some("burst")).unwrap_err(), "--peers 'a': runs n-queens, not burst");
        assert_eq!(names("c", None).unwrap_err(), "--peers 'c': runs burst, not n-queens");
    }
}
