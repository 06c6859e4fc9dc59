//! The runtime's Unicode tables.

use worker::js_sys::{JsString, RegExp};

use crate::text::normalize::{Tables, provide};

/// Makes the core's normal forms the runtime's; at start, before any text is read.
pub fn install() {
    provide(Tables {
        nfkc: |text| form(text, "NFKC"),
        nfc: |text| form(text, "NFC"),
        is_mark,
        lower: |text| JsString::from(text).to_lower_case().into(),
        upper: |text| JsString::from(text).to_upper_case().into(),
    });
}

fn form(text: &str, form: &str) -> String {
    JsString::from(text).normalize(form).into()
}

fn is_mark(c: char) -> bool {
    thread_local! {
        static MARK: RegExp = RegExp::new("^\\p{M}", "u");
    }
    let mut bytes = [0; 4];
    MARK.with(|mark| mark.test(c.encode_utf8(&mut bytes)))
}
