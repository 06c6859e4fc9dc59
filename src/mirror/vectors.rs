//! Facts as vectors, and vectors back to facts.
//!
//! A vector's id holds owner, fact, version and model: an old vector that arrives late is another vector, not a
//! newer one overwritten. Nothing of the fact's text is beside it.

use sha2::{Digest, Sha256};

use super::ports::{MAX_TOP_K, Match, Metadata, MirrorError, Vector, Vectors};
use super::rows::owner_hash;
use crate::id::{FactId, OwnerKey};
use crate::memory::model::Fact;
use crate::store::sql::{Sql, StoreError};
use crate::store::vectors;
use crate::text::prefix;

/// Vectorize gives 1,000 namespaces on every plan, and a namespace a user would need as many as there are users.
const NAMESPACES: u64 = 1_000;
/// Fact ids that we make have 18 bytes; longer ones, from elsewhere, are hashed to fit into a vector id.
const MAX_FACT_BYTES: usize = 24;

/// The namespace an owner's vectors are in: `s000` to `s999`.
pub fn namespace(owner: &OwnerKey) -> String {
    format!("s{:03}", owner_hash(owner) % NAMESPACES)
}

/// At most 16 + 1 + 24 + 1 + 10 + 1 + 6 = 59 bytes.
pub fn vector_id(owner: &OwnerKey, fact: &FactId, version: u32, model: &str) -> String {
    let owner = prefix(owner.as_str(), 16);
    let fact = fact.as_str();
    let hashed;
    let fact = if fact.len() > MAX_FACT_BYTES {
        hashed = hash(fact);
        prefix(&hashed, MAX_FACT_BYTES)
    } else {
        fact
    };
    let model = hash(model);
    format!("{owner}.{fact}.{version}.{}", prefix(&model, 6))
}

/// What tells whether a fact's text changed, so that only then it is embedded again.
pub fn digest(text: &str) -> String {
    prefix(&hash(text), 32).to_owned()
}

pub fn vector(owner: &OwnerKey, fact: &Fact, model: &str, values: Vec<f32>) -> Vector {
    Vector {
        id: vector_id(owner, &fact.id, fact.version, model),
        namespace: namespace(owner),
        values,
        metadata: Metadata {
            uid: owner.as_str().to_owned(),
            fact: fact.id.as_str().to_owned(),
            version: fact.version,
            model: model.to_owned(),
        },
    }
}

/// The facts nearest to a question's vector, best first, each once. Only ids that the object itself sent and still
/// wants are given; the caller reads the facts from the object.
pub async fn nearest<V: Vectors>(
    sql: &dyn Sql,
    index: &V,
    owner: &OwnerKey,
    question: &[f32],
    limit: usize,
) -> Result<Vec<(FactId, f32)>, Unanswered> {
    // Vectors that are no longer wanted take places too, until they are gone.
    let top_k = limit.saturating_mul(2).clamp(1, MAX_TOP_K);
    let matches =
        index.query(question, top_k, &namespace(owner), owner.as_str()).await.map_err(Unanswered::Mirror)?;
    let mut found: Vec<(FactId, f32)> = Vec::new();
    for Match { id, score } in matches {
        let Some((fact, _)) = vectors::fact_of(sql, &id).map_err(Unanswered::Store)? else { continue };
        if found.len() < limit && !found.iter().any(|(known, _)| *known == fact) {
            found.push((fact, score));
        }
    }
    Ok(found)
}

/// Why a search by meaning has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// Search by keyword instead, and say so.
    Mirror(MirrorError),
    Store(StoreError),
}

fn hash(text: &str) -> String {
    crate::encoding::hex(&Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_and_model_is_another_vector_and_ids_fit_the_limit() {
        let owner = OwnerKey::of("issuer", "subject");
        let longest = FactId::parse(&"x".repeat(64)).unwrap();
        let other = FactId::parse(&format!("{}y", "x".repeat(63))).unwrap();
        let ids = [
            vector_id(&owner, &FactId::new([7; 10]), 1, "a"),
            vector_id(&owner, &FactId::new([7; 10]), 2, "a"),
            vector_id(&owner, &FactId::new([7; 10]), 2, "b"),
            vector_id(&OwnerKey::of("issuer", "other"), &FactId::new([7; 10]), 2, "b"),
            vector_id(&owner, &longest, u32::MAX, "@cf/baai/bge-m3"),
            vector_id(&owner, &other, u32::MAX, "@cf/baai/bge-m3"),
        ];
        for (at, id) in ids.iter().enumerate() {
            assert!(id.len() <= 64, "{id}");
            assert!(!ids[..at].contains(id), "{id}");
        }
        assert!(namespace(&owner).len() == 4);
    }
}
