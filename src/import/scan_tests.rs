use proptest::prelude::*;

use super::*;

/// The pieces of some bytes that arrive in chunks of these lengths, over and over.
fn pieces(shape: Shape, bytes: &[u8], chunks: &[usize], longest: usize) -> Vec<String> {
    let mut splitter = Splitter::new(shape, longest);
    let mut found = Vec::new();
    let mut sink = |piece: Piece<'_>| {
        let content = match piece.content {
            Content::Whole(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            other => format!("{other:?}"),
        };
        let item = piece.item.map_or(String::new(), |item| format!("#{item}"));
        found.push(format!("{}{item} {}{content}", piece.line, String::from_utf8_lossy(piece.key)));
    };
    let mut rest = bytes;
    for length in chunks.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (chunk, after) = rest.split_at((*length).min(rest.len()));
        splitter.feed(chunk, &mut sink);
        rest = after;
    }
    splitter.end(&mut sink);
    found
}

#[test]
fn lists_one_after_the_other_are_read_as_one() {
    for length in 1..9 {
        let found =
            pieces(Shape::Records, "[{\"a\":1}]\n[]\n[{\"犬\":2},\n{\"b\":3}]\n".as_bytes(), &[length], 99);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().zip(["1", "犬", "b"]).all(|(piece, has)| piece.contains(has)), "{found:?}");
    }
}

#[test]
fn lines_are_numbered_and_blank_ones_count() {
    let found = pieces(Shape::Lines, b"{\"a\":1}\r\n\n  \n{broken\nlast", &[100], 99);
    assert_eq!(found, ["1 {\"a\":1}", "4 {broken", "5 last"]);
    for length in 1..9 {
        let ends_old = pieces(Shape::Lines, b"{\"a\":1}\r\r{broken\rlast\r\nafter", &[length], 99);
        assert_eq!(ends_old, ["1 {\"a\":1}", "3 {broken", "4 last", "5 after"]);
    }
    assert_eq!(pieces(Shape::Lines, b"123456\nok\n1234567\n", &[100], 6), ["1 123456", "2 ok", "3 TooLong"]);
}

#[test]
fn entries_of_a_list_are_found_over_strings_and_nesting() {
    let text = "[ {\"a\":\"]}\\\"\\\\\"},\n[1,[2]] ,\n\n\"犬\" , 7,true]\n";
    let found = pieces(Shape::Records, text.as_bytes(), &[100], 99);
    assert_eq!(found, ["1#1 {\"a\":\"]}\\\"\\\\\"}", "2#2 [1,[2]]", "4#3 \"犬\"", "4#4 7", "4#5 true"]);
}

#[test]
fn members_and_the_entries_of_their_lists_carry_their_names() {
    let text = b"{\"version\":1,\"facts\":[{},{}],\"none\":[],\"title\":\"x\"}";
    let found = pieces(Shape::Members, text, &[100], 99);
    assert_eq!(found, ["1 \"version\"1", "1#1 \"facts\"{}", "1#2 \"facts\"{}", "1 \"title\"\"x\""]);
}

#[test]
fn a_document_that_ends_too_early_or_is_none_says_so_once() {
    for (shape, text, last) in [
        (Shape::Records, "[{},{\"a\":", "1#2 CutOff"),
        (Shape::Records, "[{}\n", "1#1 CutOff"),
        (Shape::Records, "[", "1 CutOff"),
        (Shape::Records, "hello [1]", "1 Lost"),
        (Shape::Records, "[1}\n{}", "1#1 Lost"),
        (Shape::Members, "{\"a\"\n 1}", "2 \"a\"Lost"),
        (Shape::Members, "{\"a\":[1", "1#1 \"a\"CutOff"),
    ] {
        let found = pieces(shape, text.as_bytes(), &[100], 99);
        assert_eq!(found.last().map(String::as_str), Some(last), "{text}");
        assert!(found.iter().filter(|piece| piece.contains("Lost")).count() <= 1);
    }
    assert!(pieces(Shape::Records, b" \n ", &[100], 99).is_empty());
}

#[test]
fn what_is_too_long_is_passed_over_and_the_rest_is_read() {
    let text = format!("[{{\"a\":\"{}\"}},{{}}]", "x".repeat(1000));
    assert_eq!(pieces(Shape::Records, text.as_bytes(), &[7], 100), ["1#1 TooLong", "1#2 {}"]);
}

#[test]
fn members_of_an_object_are_cut_as_a_parser_would_read_them() {
    let found = members(b" {\"a\" : {\"b\":[1,2]} ,\"\\u72ac\":\"}\",\"n\":null , \"z\":-1.5e3}").unwrap();
    let found: Vec<(String, String)> =
        found.into_iter().map(|(k, v)| (k, String::from_utf8(v.to_vec()).unwrap())).collect();
    let expected = [("a", "{\"b\":[1,2]}"), ("犬", "\"}\""), ("n", "null"), ("z", "-1.5e3")]
        .map(|(k, v)| (k.into(), v.into()));
    assert_eq!(found, expected);
    assert_eq!(members(b"{}"), Some(Vec::new()));
    for bad in ["", "[]", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1 2}", "{a:1}", "{\"a\":\"}"] {
        assert_eq!(members(bad.as_bytes()), None, "{bad}");
    }
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i32>().prop_map(Into::into),
        "[ -~犬猫か\u{1F600}\n\"\\\\\\]\\[{},:]{0,12}".prop_map(Into::into),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
            prop::collection::btree_map("[a-c犬\"]{0,2}", inner, 0..4)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn chunks_of_any_length_give_the_same_pieces(
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..80),
            "[\\[\\]{}\",:a\\\\ \n1犬]{0,60}".prop_map(String::into_bytes),
            json().prop_map(|value| value.to_string().into_bytes()),
        ],
        chunks in prop::collection::vec(1_usize..9, 1..6),
        longest in prop_oneof![Just(1000_usize), 1_usize..12],
    ) {
        for shape in [Shape::Lines, Shape::Records, Shape::Members] {
            let whole = pieces(shape, &bytes, &[bytes.len().max(1)], longest);
            prop_assert_eq!(&pieces(shape, &bytes, &chunks, longest), &whole);
            prop_assert_eq!(&pieces(shape, &bytes, &[1], longest), &whole);
        }
    }

    #[test]
    fn a_list_is_cut_into_exactly_its_entries(list in prop::collection::vec(json(), 0..6), pretty in any::<bool>()) {
        let list = serde_json::Value::from(list);
        let text = if pretty { serde_json::to_string_pretty(&list).unwrap() } else { list.to_string() };
        let mut found: Vec<serde_json::Value> = Vec::new();
        let mut splitter = Splitter::new(Shape::Records, 10_000);
        let mut sink = |piece: Piece<'_>| match piece.content {
            Content::Whole(bytes) => found.push(serde_json::from_slice(bytes).unwrap()),
            other => panic!("{other:?}"),
        };
        splitter.feed(text.as_bytes(), &mut sink);
        splitter.end(&mut sink);
        prop_assert_eq!(serde_json::Value::from(found), list);
    }

    #[test]
    fn an_object_is_cut_into_exactly_its_members(value in json()) {
        if let serde_json::Value::Object(map) = &value {
            let text = serde_json::to_string_pretty(&value).unwrap();
            let found = members(text.as_bytes()).unwrap();
            let read: serde_json::Map<String, serde_json::Value> =
                found.into_iter().map(|(k, v)| (k, serde_json::from_slice(v).unwrap())).collect();
            prop_assert_eq!(&read, map);
        }
    }
}
