//! Conduct: runs what the decisions ask for, through ports.
