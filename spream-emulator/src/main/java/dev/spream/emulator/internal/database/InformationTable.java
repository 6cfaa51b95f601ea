package dev.spream.emulator.internal.database;

import java.util.ArrayList;
import java.util.List;

/**
 * A table of the information schema.
 *
 * @param columns separated by commas; the type is text unless given
 */
record InformationTable(String name, String columns) {
    private static final String CONSTRAINT = "constraint_catalog, constraint_schema, constraint_name";
    private static final String TABLE = "table_catalog, table_schema, table_name";
    private static final String STREAM = "change_stream_catalog, change_stream_schema, change_stream_name";

    private static final String COLUMN_PROPERTIES =
            "is_nullable, spanner_type, is_generated, generation_expression, is_stored, spanner_state, is_identity,"
                    + " identity_generation, identity_kind, identity_start_with_counter, identity_skip_range_min,"
                    + " identity_skip_range_max";

    private static final List<InformationTable> BOTH = List.of(
            new InformationTable("SCHEMATA", "catalog_name, schema_name"),
            new InformationTable(
                    "DATABASE_OPTIONS", "catalog_name, schema_name, option_name, option_type, option_value"),
            new InformationTable("TABLES", TABLE + ", parent_table_name, on_delete_action, table_type, spanner_state"),
            new InformationTable(
                    "INDEXES",
                    TABLE + ", index_name, index_type, parent_table_name, is_unique BOOLEAN,"
                            + " is_null_filtered BOOLEAN, index_state, spanner_is_managed BOOLEAN"),
            new InformationTable(
                    "INDEX_COLUMNS",
                    TABLE + ", index_name, index_type, column_name, ordinal_position BIGINT, column_ordering,"
                            + " is_nullable, spanner_type"),
            new InformationTable(
                    "TABLE_CONSTRAINTS",
                    CONSTRAINT + ", " + TABLE + ", constraint_type, is_deferrable, initially_deferred, enforced"),
            new InformationTable(
                    "KEY_COLUMN_USAGE",
                    CONSTRAINT + ", " + TABLE + ", column_name, ordinal_position BIGINT,"
                            + " position_in_unique_constraint BIGINT"),
            new InformationTable(
                    "REFERENTIAL_CONSTRAINTS",
                    CONSTRAINT + ", unique_constraint_catalog, unique_constraint_schema, unique_constraint_name,"
                            + " match_option, update_rule, delete_rule, spanner_state"),
            new InformationTable("CHECK_CONSTRAINTS", CONSTRAINT + ", check_clause, spanner_state"),
            new InformationTable("CONSTRAINT_COLUMN_USAGE", TABLE + ", column_name, " + CONSTRAINT),
            new InformationTable("CONSTRAINT_TABLE_USAGE", TABLE + ", " + CONSTRAINT),
            new InformationTable("ROLES", "role_name, is_system BOOLEAN"),
            new InformationTable("ROLE_GRANTEES", "role_name, grantee"),
            new InformationTable("TABLE_PRIVILEGES", TABLE + ", privilege_type, grantee"),
            new InformationTable("CHANGE_STREAM_PRIVILEGES", STREAM + ", privilege_type, grantee"),
            new InformationTable(
                    "ROUTINE_PRIVILEGES", "specific_catalog, specific_schema, specific_name, privilege_type, grantee"),
            new InformationTable("CHANGE_STREAMS", STREAM + ", \"all\" BOOLEAN"),
            new InformationTable("CHANGE_STREAM_TABLES", STREAM + ", " + TABLE + ", all_columns BOOLEAN"),
            new InformationTable("CHANGE_STREAM_COLUMNS", STREAM + ", " + TABLE + ", column_name"),
            new InformationTable("CHANGE_STREAM_OPTIONS", STREAM + ", option_name, option_type, option_value"));

    private static final List<InformationTable> GOOGLE = List.of(
            new InformationTable(
                    "COLUMNS",
                    TABLE + ", column_name, ordinal_position BIGINT, column_default, data_type, " + COLUMN_PROPERTIES),
            new InformationTable("COLUMN_OPTIONS", TABLE + ", column_name, option_name, option_type, option_value"),
            new InformationTable("VIEWS", TABLE + ", view_definition, security_type"),
            new InformationTable("SEQUENCES", "catalog, schema, name, data_type"),
            new InformationTable("SEQUENCE_OPTIONS", "catalog, schema, name, option_name, option_type, option_value"));

    private static final List<InformationTable> POSTGRES = List.of(
            new InformationTable(
                    "COLUMNS",
                    TABLE + ", column_name, ordinal_position BIGINT, column_default, data_type,"
                            + " character_maximum_length BIGINT, numeric_precision BIGINT,"
                            + " numeric_precision_radix BIGINT, numeric_scale BIGINT, " + COLUMN_PROPERTIES),
            new InformationTable("COLUMN_OPTIONS", TABLE + ", column_name, option_name, option_value, option_type"),
            new InformationTable(
                    "VIEWS",
                    TABLE + ", view_definition, check_option, is_updatable, is_insertable_into, is_trigger_updatable,"
                            + " is_trigger_deletable, is_trigger_insertable_into, security_type"),
            new InformationTable(
                    "SEQUENCES",
                    "sequence_catalog, sequence_schema, sequence_name, data_type, numeric_precision BIGINT,"
                            + " numeric_precision_radix BIGINT, numeric_scale BIGINT, start_value BIGINT,"
                            + " minimum_value BIGINT, maximum_value BIGINT, increment BIGINT, cycle_option,"
                            + " sequence_kind, counter_start_value BIGINT, skip_range_min BIGINT,"
                            + " skip_range_max BIGINT"));

    static List<InformationTable> all(boolean postgres) {
        List<InformationTable> all = new ArrayList<>(BOTH);
        all.addAll(postgres ? POSTGRES : GOOGLE);
        return all;
    }
}
