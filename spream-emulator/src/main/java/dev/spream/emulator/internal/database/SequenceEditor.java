package dev.spream.emulator.internal.database;

import dev.spream.emulator.internal.function.BitReversedSequence;
import dev.spream.emulator.internal.sql.DdlStatement.AlterSequence;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnDef;
import dev.spream.emulator.internal.sql.DdlStatement.CreateSequence;
import dev.spream.emulator.internal.sql.DdlStatement.DefaultValue;
import dev.spream.emulator.internal.sql.DdlStatement.DropSequence;
import dev.spream.emulator.internal.sql.DdlStatement.IdentityColumn;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.SequenceChange;

/** Applies statements about sequences to a schema; the engine has none of its own. */
final class SequenceEditor {
    private SequenceEditor() {}

    static Schema create(CreateSequence create, Schema schema) {
        if (schema.isTaken(create.name())) {
            if (create.ifNotExists() && schema.isSequence(create.name())) {
                return schema;
            }
            throw Schema.duplicateName(create.name());
        }
        schema.checkNamedSchemaOf(create.name());
        if (!create.options().kindDeclared() && schema.defaultSequenceKind().isEmpty()) {
            throw Errors.invalidArgument(
                    "The sequence does not have a valid sequence kind. Please specify the sequence kind explicitly or set"
                            + " the database option `default_sequence_kind`.");
        }
        return schema.with(create.name(), new BitReversedSequence(create.options()));
    }

    static Schema alter(AlterSequence alter, Schema schema) {
        if (!schema.isSequence(alter.name())) {
            if (alter.ifExists()) {
                return schema;
            }
            throw Errors.notFound("Sequence not found: %s", alter.name());
        }
        BitReversedSequence sequence = schema.sequence(alter.name());
        SequenceChange change = alter.change();
        if (change.asClauses() != sequence.options().asClauses()) {
            throw Errors.invalidArgument(
                    "The sequence properties can only be set in either clauses and options for the sequence %s",
                    alter.name());
        }
        sequence.change(change);
        return schema;
    }

    static Schema drop(DropSequence drop, Schema schema) {
        if (!schema.isSequence(drop.name())) {
            if (drop.ifExists()) {
                return schema;
            }
            throw Errors.notFound("Sequence not found: %s", drop.name());
        }
        for (StoredTable table : schema.tables()) {
            for (ColumnDef column : table.definition().columns()) {
                boolean used = column.source()
                        .filter(DefaultValue.class::isInstance)
                        .flatMap(value -> schema.defaultValue(table.name(), column.name()))
                        .filter(value -> schema.mentionsSequence(value, drop.name()))
                        .isPresent();
                if (used) {
                    throw Errors.failedPrecondition(
                            "Cannot drop SEQUENCE `%s` on which there is a dependent column: %s.%s.",
                            drop.name(), table.name(), column.name());
                }
            }
        }
        return schema.withoutSequence(drop.name());
    }

    /** Adds the sequence of an identity column. */
    static Schema withIdentity(Schema schema, StoredTable table, ColumnDef column) {
        if (!(column.source().orElse(null) instanceof IdentityColumn identity)) {
            return schema;
        }
        if (!identity.options().kindDeclared() && schema.defaultSequenceKind().isEmpty()) {
            throw Errors.invalidArgument(
                    "The sequence kind of an identity column %s is not specified. Please specify the sequence kind"
                            + " explicitly or set the database option `default_sequence_kind`.",
                    column.name());
        }
        return schema.with(table.identitySequence(column.name()), new BitReversedSequence(identity.options()));
    }
}
