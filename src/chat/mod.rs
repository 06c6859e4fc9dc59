//! What people and clients send to the chat, and what they get.
