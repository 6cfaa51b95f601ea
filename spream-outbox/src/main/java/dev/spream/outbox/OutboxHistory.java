package dev.spream.outbox;

/** A part of an outbox that is kept for people and clients after the work is done, and removed when it is old. */
public enum OutboxHistory {
    /** Entries that succeeded or were aborted; old since then. */
    ENTRIES("settled entries"),

    /**
     * Requests of the ledger, in all their generations, that are settled and whose entry is removed; their age counts from the
     * settlement.
     */
    LEDGER("requests of the ledger"),

    /** Audit rows of operator actions, by their age since then. */
    AUDIT("rows of the audit");

    private final String text;

    OutboxHistory(String text) {
        this.text = text;
    }

    /** The name for people. */
    public String text() {
        return text;
    }
}
