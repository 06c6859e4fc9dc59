//! The runtime's clock, dice and zone database.

use std::time::Duration;

use wasm_bindgen::prelude::*;
use worker::js_sys::{Array, Date, Function, Intl, Object, Reflect};

use crate::time::{Millis, Zones};

pub fn now() -> Millis {
    Millis(Date::now() as i64)
}

pub fn random() -> [u8; 10] {
    let mut bytes = [0; 10];
    // The runtime's generator doesn't fail; ids that repeat would be refused by the store's unique keys.
    let _ = getrandom::fill(&mut bytes);
    bytes
}

/// Bytes for secrets; `None` if there is no chance to be had.
pub fn chance<const N: usize>() -> Option<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).ok().map(|()| bytes)
}

pub async fn sleep(millis: i64) {
    // Timers count in 32 bits; a longer wait is an alarm's.
    worker::Delay::from(Duration::from_millis(millis.clamp(0, i64::from(i32::MAX)) as u64)).await;
}

/// Zones by `Intl`, which carries the whole database.
pub struct IntlZones;

impl Zones for IntlZones {
    fn offset_seconds(&self, zone: &str, at: Millis) -> Option<i32> {
        if zone == "UTC" {
            return Some(0);
        }
        let format = formatter(zone)?;
        let parts = format_to_parts(&format, at)?;
        // `GMT`, `GMT+9`, `GMT-03:30` or `GMT+05:53:28`.
        let offset = parts.strip_prefix("GMT")?;
        if offset.is_empty() {
            return Some(0);
        }
        let (sign, digits) = match offset.chars().next()? {
            '+' => (1, &offset[1..]),
            '-' => (-1, &offset[1..]),
            '\u{2212}' => (-1, &offset['\u{2212}'.len_utf8()..]),
            _ => return None,
        };
        let mut seconds = 0;
        let mut unit = 3600;
        for part in digits.split(':') {
            seconds += part.parse::<i32>().ok()? * unit;
            unit /= 60;
        }
        Some(sign * seconds)
    }
}

fn formatter(zone: &str) -> Option<JsValue> {
    let options = Object::new();
    Reflect::set(&options, &"timeZone".into(), &zone.into()).ok()?;
    Reflect::set(&options, &"timeZoneName".into(), &"longOffset".into()).ok()?;
    let constructor = Reflect::get(&worker::js_sys::global(), &"Intl".into())
        .and_then(|intl| Reflect::get(&intl, &"DateTimeFormat".into()))
        .ok()?;
    let constructor: &Function = constructor.dyn_ref()?;
    let arguments: Array = Array::of2(&"en-US".into(), &options);
    // Throws for an unknown zone.
    Reflect::construct(constructor, &arguments).ok()
}

fn format_to_parts(format: &JsValue, at: Millis) -> Option<String> {
    let format: &Intl::DateTimeFormat = format.unchecked_ref();
    let parts = format.format_to_parts(&Date::new(&JsValue::from_f64(at.0 as f64)));
    let text = |part: &JsValue, key: &str| Reflect::get(part, &key.into()).ok()?.as_string();
    parts
        .iter()
        .find(|part| text(part, "type").as_deref() == Some("timeZoneName"))
        .and_then(|p| text(&p, "value"))
}
