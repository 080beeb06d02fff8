//! Documents with places, and with what is wrong about them.

use super::*;

fn filled(text: &str, sections: &[&str]) -> String {
    let sections: Vec<String> = sections.iter().map(|&section| section.to_owned()).collect();
    Place::filled(&Place::all(text).unwrap(), text, &sections)
}

#[test]
fn only_the_text_between_changes() {
    let text = "a\n<!-- results -->\nold\n\n<!-- /results -->\nb";
    let new = "a\n<!-- results -->\n\nnew\n\n<!-- /results -->\nb";
    assert_eq!(Place::all(text).unwrap()[0].chart, None);
    assert_eq!(filled(text, &["new\n"]), new);
    // Again, and where nothing was.
    let empty = new.replace("\nnew\n\n", "");
    assert_eq!((filled(new, &["new\n"]), filled(&empty, &["new\n"])), (new.into(), new.into()));
}

#[test]
fn studies_stand_beside_the_headline() {
    let text = "<!-- study burst c.png -->\nold\n<!-- /study -->\n\n<!-- results -->\n\
                <!-- /results -->\n<!-- study growth -->\n<!-- /study -->\n";
    let places = Place::all(text).unwrap();
    let told: Vec<_> = places.iter().map(|place| (place.what, place.chart)).collect();
    let [burst, growth] = ["burst", "growth"].map(What::Study);
    assert_eq!(told, [(burst, Some("c.png")), (What::Results, None), (growth, None)]);
    let new = "<!-- study burst c.png -->\n\n1\n<!-- /study -->\n\n<!-- results -->\n\n2\n\
               <!-- /results -->\n<!-- study growth -->\n\n3\n<!-- /study -->\n";
    assert_eq!(filled(text, &["1", "2", "3"]), new);
    assert_eq!(filled(new, &["1", "2", "3"]), new);
    // A document may have nothing but a study.
    assert_eq!(Place::all("<!-- study burst -->\n<!-- /study -->").unwrap().len(), 1);
}

#[test]
fn modes_of_threads_have_places_of_their_own() {
    let text = "<!-- threads -->\nold\n<!-- /threads -->\n<!-- threads split docs/s.png -->\n\
                <!-- /threads -->\n<!-- study burst -->\n<!-- /study -->\n\
                <!-- threads shared -->\n<!-- /threads -->\n";
    let places = Place::all(text).unwrap();
    let told: Vec<_> = places.iter().map(|place| (place.what, place.chart)).collect();
    let [split, shared] = ["split", "shared"].map(What::Mode);
    let study = What::Study("burst");
    let png = Some("docs/s.png");
    assert_eq!(told, [(What::Threads, None), (split, png), (study, None), (shared, None)]);
    let new = "<!-- threads -->\n\n1\n<!-- /threads -->\n<!-- threads split docs/s.png -->\n\n2\n\
               <!-- /threads -->\n<!-- study burst -->\n\n3\n<!-- /study -->\n\
               <!-- threads shared -->\n\n4\n<!-- /threads -->\n";
    assert_eq!(filled(text, &["1", "2", "3", "4"]), new);
}

#[test]
fn the_chart_has_a_path() {
    for (marker, path) in [
        ("<!-- results docs/a.png -->", Some("docs/a.png")),
        ("  <!--results  a b.png-->  ", Some("a b.png")),
        ("<!--\tresults\t-->", None),
    ] {
        let text = format!("{marker}\n<!-- /results -->\n");
        assert_eq!(Place::all(&text).unwrap()[0].chart, path, "{marker}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let (start, end) = ("<!-- results -->\n", "<!-- /results -->\n");
    for (text, said) in [
        (String::new(), "has no line <!-- results -->; "),
        (format!("see {start}{end}"), "has no line <!-- results -->; "),
        (start.into(), "has no line <!-- /results -->; "),
        (format!("{start}{start}{end}{end}"), "<!-- results --> is there twice, in lines 1 and 2;"),
        (format!("{start}{end}\n{start}"), "<!-- results --> is there twice, in lines 1 and 4;"),
        (format!("{start}{end}{end}"), "<!-- /results --> is there twice, in lines 2 and 3;"),
        (format!("a\n{end}{start}"), "<!-- /results --> in line 2 comes before"),
        ("<!-- study burst -->".into(), "<!-- study burst --> in line 1 has no <!-- /study -->"),
        ("<!-- /study -->".into(), "<!-- /study --> in line 1 has no <!-- study NAME -->"),
        (
            "<!-- study a -->\n<!-- study a -->\n<!-- /study -->".into(),
            "<!-- study a --> in line 1 has no <!-- /study -->",
        ),
        (
            "<!-- study a -->\n<!-- /study -->\n".repeat(2),
            "<!-- study a --> is there twice, again in line 3;",
        ),
        (
            format!("{start}<!-- study a -->\n<!-- /study -->\n{end}"),
            "has the place <!-- study a --> within <!-- results -->;",
        ),
        (
            "<!-- study a -->\n<!-- threads split -->\n<!-- /threads -->\n<!-- /study -->\n".into(),
            "has the place <!-- threads split --> within <!-- study a -->;",
        ),
        (
            "<!-- threads split -->".into(),
            "<!-- threads split --> in line 1 has no <!-- /threads -->",
        ),
        ("<!-- /threads -->".into(), "<!-- /threads --> in line 1 has no <!-- threads MODE -->"),
        (
            "<!-- threads -->\n<!-- threads split -->\n<!-- /threads -->".into(),
            "<!-- threads --> in line 1 has no <!-- /threads -->",
        ),
        (
            "<!-- threads split a.png -->\n<!-- /threads -->\n<!-- threads split -->\n\
             <!-- /threads -->"
                .into(),
            "<!-- threads split --> is there twice, again in line 3;",
        ),
        ("<!-- study -->\n<!-- /studyx -->".into(), "has no line <!-- results -->; "),
        ("<!-- resultsx -->\n<!-- /results x -->".into(), "has no line <!-- results -->; "),
    ] {
        let error = Place::all(&text).unwrap_err().to_string();
        assert!(error.starts_with(said) && !error.contains('\n'), "{text}: {error}");
    }
}
