//! Signatures of tokens, by the runtime's own cryptography.

use wasm_bindgen::prelude::*;
use worker::js_sys::futures::JsFuture;
use worker::js_sys::{Array, Promise, Uint8Array};

use super::plain::to_js;
use crate::http::jwks::Jwk;
use crate::http::jwt::{Algorithm, Signatures};

#[wasm_bindgen]
extern "C" {
    type Crypto;
    type SubtleCrypto;

    #[wasm_bindgen(thread_local_v2, js_name = crypto)]
    static CRYPTO: Crypto;

    #[wasm_bindgen(method, getter)]
    fn subtle(this: &Crypto) -> SubtleCrypto;

    #[wasm_bindgen(method, catch, js_name = importKey)]
    fn import_key(
        this: &SubtleCrypto,
        format: &str,
        key: &JsValue,
        algorithm: &JsValue,
        extractable: bool,
        usages: &Array,
    ) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn verify(
        this: &SubtleCrypto,
        algorithm: &JsValue,
        key: &JsValue,
        signature: &Uint8Array,
        data: &Uint8Array,
    ) -> Result<Promise, JsValue>;
}

/// `crypto.subtle`.
pub struct Subtle;

impl Signatures for Subtle {
    async fn verify(&self, key: &Jwk, data: &[u8], signature: &[u8]) -> bool {
        verify(key, data, signature).await.is_ok_and(|verified| verified.is_truthy())
    }
}

async fn verify(key: &Jwk, data: &[u8], signature: &[u8]) -> Result<JsValue, JsValue> {
    let algorithm = to_js(&match key.algorithm {
        Algorithm::Rs256 => serde_json::json!({"name": "RSASSA-PKCS1-v1_5", "hash": "SHA-256"}),
        Algorithm::Es256 => serde_json::json!({"name": "ECDSA", "namedCurve": "P-256", "hash": "SHA-256"}),
    })?;
    let subtle = CRYPTO.with(Crypto::subtle);
    let usages = Array::of1(&"verify".into());
    let imported = subtle.import_key("jwk", &to_js(&key.public)?, &algorithm, false, &usages)?;
    let imported = JsFuture::from(imported).await?;
    let verified =
        subtle.verify(&algorithm, &imported, &Uint8Array::from(signature), &Uint8Array::from(data))?;
    JsFuture::from(verified).await
}
