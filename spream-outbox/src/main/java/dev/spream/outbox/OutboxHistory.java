package dev.spream.outbox;

/**
 * A part of an outbox that is kept for operators and clients after the work is done, and removed after its retention.
 */
public enum OutboxHistory {
    /** Entries that succeeded or were aborted; their age counts from the settlement. */
    ENTRIES("settled entries"),

    /**
     * Settled requests of the ledger, in all their generations, whose entries have been removed; their age counts from
     * the settlement.
     */
    LEDGER("requests of the ledger"),

    /** Audit rows of operator actions; their age counts from the action. */
    AUDIT("rows of the audit");

    private final String text;

    OutboxHistory(String text) {
        this.text = text;
    }

    /** Returns the name for logs and messages. */
    public String text() {
        return text;
    }
}
