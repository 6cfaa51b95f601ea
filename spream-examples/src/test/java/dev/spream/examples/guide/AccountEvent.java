package dev.spream.examples.guide;

/** The events of an account; see docs/projections.md. */
sealed interface AccountEvent {
    record Deposited(long cents, String currency) implements AccountEvent {}

    record Withdrawn(long cents) implements AccountEvent {}
}
