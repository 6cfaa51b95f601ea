package dev.spream.emulator.internal.database;

import static dev.spream.emulator.internal.sql.SqlTranslator.quoted;

import com.google.protobuf.ByteString;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.engine.Engine;
import dev.spream.emulator.internal.engine.EngineErrors;
import dev.spream.emulator.internal.sql.DdlStatement;
import dev.spream.emulator.internal.sql.DdlStatement.AddColumn;
import dev.spream.emulator.internal.sql.DdlStatement.AddConstraint;
import dev.spream.emulator.internal.sql.DdlStatement.AddDeletionPolicy;
import dev.spream.emulator.internal.sql.DdlStatement.AlterColumn;
import dev.spream.emulator.internal.sql.DdlStatement.AlterIdentity;
import dev.spream.emulator.internal.sql.DdlStatement.AlterProtoBundle;
import dev.spream.emulator.internal.sql.DdlStatement.AlterSequence;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnDef;
import dev.spream.emulator.internal.sql.DdlStatement.CreateIndex;
import dev.spream.emulator.internal.sql.DdlStatement.CreateProtoBundle;
import dev.spream.emulator.internal.sql.DdlStatement.CreateRole;
import dev.spream.emulator.internal.sql.DdlStatement.CreateSchema;
import dev.spream.emulator.internal.sql.DdlStatement.CreateSequence;
import dev.spream.emulator.internal.sql.DdlStatement.CreateTable;
import dev.spream.emulator.internal.sql.DdlStatement.CreateView;
import dev.spream.emulator.internal.sql.DdlStatement.DeletionPolicy;
import dev.spream.emulator.internal.sql.DdlStatement.DropColumn;
import dev.spream.emulator.internal.sql.DdlStatement.DropConstraint;
import dev.spream.emulator.internal.sql.DdlStatement.DropIndex;
import dev.spream.emulator.internal.sql.DdlStatement.DropProtoBundle;
import dev.spream.emulator.internal.sql.DdlStatement.DropRole;
import dev.spream.emulator.internal.sql.DdlStatement.DropSchema;
import dev.spream.emulator.internal.sql.DdlStatement.DropSequence;
import dev.spream.emulator.internal.sql.DdlStatement.DropTable;
import dev.spream.emulator.internal.sql.DdlStatement.DropView;
import dev.spream.emulator.internal.sql.DdlStatement.Grant;
import dev.spream.emulator.internal.sql.DdlStatement.ReplaceDeletionPolicy;
import dev.spream.emulator.internal.sql.DdlStatement.Revoke;
import dev.spream.emulator.internal.sql.DdlStatement.SetDefaultSequenceKind;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.Privilege;
import dev.spream.emulator.internal.sql.ProtoBundle;
import dev.spream.emulator.internal.sql.Types;
import dev.spream.emulator.internal.stream.ChangeStreams;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.h2.api.ErrorCode;

/** Applies one parsed DDL statement to the engine and returns the resulting schema. Used by one thread at a time. */
final class SchemaEditor {
    private final Engine engine;
    private final TableEditor tables;
    private final ColumnEditor columns;
    private final ConstraintEditor constraints;
    private final ViewEditor views;
    private final DatabaseDialect dialect;
    private final ChangeStreams streams;

    /** @param clock returns the time of default values of new columns */
    SchemaEditor(Engine engine, DatabaseDialect dialect, ChangeStreams streams, Supplier<Instant> clock) {
        this.engine = engine;
        this.dialect = dialect;
        this.streams = streams;
        StoredExpressions expressions = new StoredExpressions(engine, dialect);
        this.constraints = new ConstraintEditor(engine, expressions);
        this.views = new ViewEditor(engine, dialect);
        this.tables = new TableEditor(engine, streams, expressions, constraints, views);
        this.columns = new ColumnEditor(engine, streams, expressions, constraints, views, clock);
    }

    /** @param protoDescriptors what the request sent for statements about the proto bundle */
    Schema apply(DdlStatement statement, Schema schema, ByteString protoDescriptors) {
        try {
            return switch (statement) {
                case CreateTable create -> tables.create(create, schema);
                case DropTable drop -> tables.drop(drop, schema);
                case AddColumn add -> columns.add(add, schema);
                case DropColumn drop -> columns.drop(drop, schema);
                case AlterColumn alter -> columns.alter(alter, schema);
                case AlterIdentity alter -> ColumnEditor.alterIdentity(alter, schema);
                case AddConstraint add -> constraints.add(add, schema);
                case DropConstraint drop -> constraints.drop(drop, schema);
                case CreateRole create -> schema.with(schema.roles().with(create.name()));
                case DropRole drop -> schema.with(schema.roles().without(drop.name()));
                case Grant grant -> grant(grant, schema);
                case Revoke revoke -> schema.with(schema.roles().without(revoke));
                case CreateView create -> views.create(create, schema);
                case DropView drop -> views.drop(drop, schema);
                case CreateSchema create -> schema.with(create);
                case DropSchema drop -> schema.without(drop);
                case CreateSequence create -> SequenceEditor.create(create, schema);
                case AlterSequence alter -> SequenceEditor.alter(alter, schema);
                case DropSequence drop -> SequenceEditor.drop(drop, schema);
                case SetDefaultSequenceKind set -> schema.with(set);
                case CreateIndex create -> createIndex(create, schema);
                case DropIndex drop -> dropIndex(drop, schema);
                case AddDeletionPolicy add -> addDeletionPolicy(add, schema);
                case ReplaceDeletionPolicy replace -> replaceDeletionPolicy(replace, schema);
                case CreateProtoBundle create -> createBundle(create, schema, protoDescriptors);
                case AlterProtoBundle alter -> alterBundle(alter, schema, protoDescriptors);
                case DropProtoBundle ignored -> withBundle(schema, ProtoBundle.EMPTY);
                case DdlStatement.Accepted ignored -> schema;
            };
        } catch (SQLException e) {
            throw EngineErrors.toStatus(e);
        }
    }

    private Schema grant(Grant grant, Schema schema) {
        for (Privilege privilege : grant.privileges()) {
            String object = privilege.object();
            boolean exists =
                    switch (privilege.kind()) {
                        case TABLE -> schema.isTable(object);
                        case VIEW -> schema.findView(object).isPresent();
                        case SCHEMA -> schema.namedSchemas().stream().anyMatch(object::equalsIgnoreCase);
                        case ROLE -> schema.roles().exists(object);
                        case CHANGE_STREAM -> streams.hasStream(object);
                        case FUNCTION -> streams.hasFunction(object);
                    };
            if (!exists) {
                throw Errors.notFound(
                        "%s not found: %s",
                        privilege.kind().name().charAt(0)
                                + privilege
                                        .kind()
                                        .name()
                                        .substring(1)
                                        .toLowerCase(Locale.ROOT)
                                        .replace('_', ' '),
                        object);
            }
        }
        return schema.with(schema.roles().with(grant));
    }

    private static Schema addDeletionPolicy(AddDeletionPolicy add, Schema schema) {
        StoredTable table = schema.table(add.table());
        table.definition().deletionPolicy().ifPresent(policy -> {
            throw Errors.invalidArgument(
                    "Cannot create ROW DELETION POLICY because there is already one on column named %s in table %s.",
                    policy.column(), table.name());
        });
        return withDeletionPolicy(table, Optional.of(add.policy()), schema);
    }

    private static Schema replaceDeletionPolicy(ReplaceDeletionPolicy replace, Schema schema) {
        StoredTable table = schema.table(replace.table());
        if (table.definition().deletionPolicy().isEmpty()) {
            throw Errors.invalidArgument("ROW DELETION POLICY does not exist on table %s.", table.name());
        }
        return withDeletionPolicy(table, replace.policy(), schema);
    }

    private static Schema withDeletionPolicy(StoredTable table, Optional<DeletionPolicy> policy, Schema schema) {
        policy.ifPresent(added -> DeletionPolicies.checkAdded(added, table));
        StoredTable changed = table.with(policy);
        Schema result = schema.with(changed);
        DeletionPolicies.check(changed, result);
        return result;
    }

    private static Schema createBundle(CreateProtoBundle create, Schema schema, ByteString protoDescriptors) {
        if (!schema.bundle().types().isEmpty()) {
            throw Errors.failedPrecondition("The database has a proto bundle already: use ALTER PROTO BUNDLE");
        }
        return schema.with(ProtoBundle.EMPTY.with(create.names(), protoDescriptors));
    }

    private static Schema alterBundle(AlterProtoBundle alter, Schema schema, ByteString protoDescriptors) {
        ProtoBundle bundle = schema.bundle();
        alter.inserted().stream()
                .filter(bundle.types()::containsKey)
                .findFirst()
                .ifPresent(name -> {
                    throw Errors.failedPrecondition("The proto bundle has the type %s already", name);
                });
        Stream.concat(alter.updated().stream(), alter.deleted().stream())
                .filter(name -> !bundle.types().containsKey(name))
                .findFirst()
                .ifPresent(name -> {
                    throw Errors.notFound("The proto bundle has no type %s", name);
                });
        List<String> declared = Stream.concat(alter.inserted().stream(), alter.updated().stream())
                .toList();
        return withBundle(schema, bundle.with(declared, protoDescriptors).without(alter.deleted()));
    }

    private static Schema withBundle(Schema schema, ProtoBundle bundle) {
        for (StoredTable table : schema.tables()) {
            for (ColumnDef column : table.definition().columns()) {
                Type type = column.type().type();
                Type single = type.getCode() == TypeCode.ARRAY ? type.getArrayElementType() : type;
                if (Types.isOfBundle(type) && !single.equals(bundle.types().get(single.getProtoTypeFqn()))) {
                    throw Errors.failedPrecondition(
                            "Cannot remove or change the type %s because column %s of table %s has it",
                            single.getProtoTypeFqn(), column.name(), table.name());
                }
            }
        }
        return schema.with(bundle);
    }

    private Schema createIndex(CreateIndex create, Schema schema) throws SQLException {
        if (schema.isTaken(create.name())) {
            if (create.ifNotExists() && schema.findIndex(create.name()).isPresent()) {
                return schema;
            }
            throw Schema.duplicateName(create.name());
        }
        StoredTable table = schema.table(create.table());
        if (dialect != DatabaseDialect.POSTGRESQL
                && !schemaOf(create.name()).equalsIgnoreCase(schemaOf(table.name()))) {
            throw Errors.failedPrecondition(
                    "Index %s does not match the schema of the indexed table %s.", create.name(), table.name());
        }
        SchemaRules.checkIndex(create, table);
        String parts = create.parts().stream()
                .map(part -> quoted(table.column(part.column()).name()))
                .collect(Collectors.joining(", "));
        String unique = create.unique() ? (create.nullFiltered() ? "UNIQUE " : "UNIQUE NULLS NOT DISTINCT ") : "";
        try {
            engine.administer(
                    "CREATE %sINDEX %s ON %s (%s)".formatted(unique, quoted(create.name()), table.quotedName(), parts));
        } catch (SQLException e) {
            if (e.getErrorCode() == ErrorCode.DUPLICATE_KEY_1) {
                throw Errors.failedPrecondition("Found uniqueness violation on index %s", create.name());
            }
            throw e;
        }
        return schema.with(create);
    }

    private static String schemaOf(String name) {
        return name.substring(0, Math.max(0, name.indexOf('.')));
    }

    private Schema dropIndex(DropIndex drop, Schema schema) throws SQLException {
        if (schema.findIndex(drop.name()).isEmpty()) {
            if (drop.ifExists()) {
                return schema;
            }
            throw Errors.notFound("Index not found: %s", drop.name());
        }
        engine.administer("DROP INDEX " + quoted(drop.name()));
        return schema.withoutIndex(drop.name());
    }
}
