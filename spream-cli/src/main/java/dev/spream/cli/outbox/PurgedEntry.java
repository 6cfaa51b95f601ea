package dev.spream.cli.outbox;

import dev.spream.api.ConfiguredOutbox;
import dev.spream.outbox.AuditEntry;
import dev.spream.outbox.LedgerEntry;
import java.util.List;
import java.util.Optional;

/**
 * The records that remain of an entry that is not in the outbox: the ledger's by key, the audit's by id.
 *
 * @param id empty if requested by key
 * @param key empty if requested by id and without operator actions
 * @param audit the oldest first; empty if requested by key
 */
record PurgedEntry(Optional<Long> id, Optional<String> key, Optional<LedgerEntry> ledger, List<AuditEntry> audit) {

    static PurgedEntry find(ConfiguredOutbox configured, EntryArguments entry) {
        Optional<Long> id = entry.id();
        List<AuditEntry> audit = id.map(configured.operations()::audit).orElse(List.of());
        Optional<String> key = entry.key()
                .or(() -> audit.stream().map(AuditEntry::idempotencyKey).findFirst());
        return new PurgedEntry(id, key, key.flatMap(configured.ledger()::find), audit);
    }

    boolean isKnown() {
        return ledger.isPresent() || !audit.isEmpty();
    }
}
