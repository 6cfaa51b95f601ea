package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeAnnotationCode;
import com.google.spanner.v1.TypeCode;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Spanner's types: their syntax in SQL, and the type of the embedded engine that stores each. */
public final class Types {
    public static final Type BOOL = of(TypeCode.BOOL);
    public static final Type INT64 = of(TypeCode.INT64);
    public static final Type FLOAT32 = of(TypeCode.FLOAT32);
    public static final Type FLOAT64 = of(TypeCode.FLOAT64);
    public static final Type NUMERIC = of(TypeCode.NUMERIC);
    public static final Type STRING = of(TypeCode.STRING);
    public static final Type BYTES = of(TypeCode.BYTES);
    public static final Type DATE = of(TypeCode.DATE);
    public static final Type TIMESTAMP = of(TypeCode.TIMESTAMP);
    public static final Type JSON = of(TypeCode.JSON);
    public static final Type UUID = of(TypeCode.UUID);
    public static final Type PG_NUMERIC =
            NUMERIC.toBuilder().setTypeAnnotation(TypeAnnotationCode.PG_NUMERIC).build();
    public static final Type PG_JSONB =
            JSON.toBuilder().setTypeAnnotation(TypeAnnotationCode.PG_JSONB).build();

    /** Wide enough for every value that fits into a Spanner cell; a sum of doubles has a smaller precision. */
    private static final int PG_NUMERIC_PRECISION = 100_000;

    private static final Map<String, Type> GOOGLE = Stream.of(
                    BOOL, INT64, FLOAT32, FLOAT64, NUMERIC, STRING, BYTES, DATE, TIMESTAMP, JSON, UUID)
            .collect(Collectors.toMap(type -> type.getCode().name(), Function.identity()));

    /** Types by the names that the information schema shows. */
    private static final Map<String, Type> POSTGRES = Map.ofEntries(
            Map.entry("boolean", BOOL),
            Map.entry("bigint", INT64),
            Map.entry("real", FLOAT32),
            Map.entry("double precision", FLOAT64),
            Map.entry("numeric", PG_NUMERIC),
            Map.entry("character varying", STRING),
            Map.entry("bytea", BYTES),
            Map.entry("date", DATE),
            Map.entry("timestamp with time zone", TIMESTAMP),
            Map.entry("commit_timestamp", TIMESTAMP),
            Map.entry("jsonb", PG_JSONB),
            Map.entry("uuid", UUID));

    private Types() {}

    /**
     * A type as declared.
     *
     * @param type the type in wire encoding
     * @param declared its canonical text in the dialect
     * @param maxLength the maximum number of characters or bytes, or 0 for no limit
     * @param commitTimestamp whether it is PostgreSQL's {@code spanner.commit_timestamp}
     */
    public record Declared(Type type, String declared, int maxLength, boolean commitTimestamp) {}

    public static Type of(TypeCode code) {
        return Type.newBuilder().setCode(code).build();
    }

    public static Type array(Type element) {
        return Type.newBuilder()
                .setCode(TypeCode.ARRAY)
                .setArrayElementType(element)
                .build();
    }

    static Declared parse(TokenCursor cursor, DatabaseDialect dialect) {
        return parse(cursor, dialect, ProtoBundle.EMPTY);
    }

    /** Parses a type, which in GoogleSQL may be one of the bundle. */
    static Declared parse(TokenCursor cursor, DatabaseDialect dialect, ProtoBundle bundle) {
        return dialect == DatabaseDialect.POSTGRESQL ? parsePostgres(cursor) : parseGoogle(cursor, bundle);
    }

    /** Returns whether values of this type, or the elements of this array, are of a message or an enum. */
    public static boolean isOfBundle(Type type) {
        Type single = type.getCode() == TypeCode.ARRAY ? type.getArrayElementType() : type;
        return single.getCode() == TypeCode.PROTO || single.getCode() == TypeCode.ENUM;
    }

    /** Consumes a name with dots, each part with or without quotes, or quoted as a whole. */
    static String dottedName(TokenCursor cursor) {
        StringBuilder name = new StringBuilder();
        do {
            if (!cursor.peek().isName()) {
                throw cursor.syntaxError("Expected the name of a type");
            }
            name.append(name.isEmpty() ? "" : ".").append(cursor.next().text());
        } while (cursor.acceptSymbol("."));
        return name.toString();
    }

    private static Declared parseGoogle(TokenCursor cursor, ProtoBundle bundle) {
        if (cursor.acceptWords("ARRAY")) {
            cursor.expectSymbol("<");
            Declared element = parseGoogle(cursor, bundle);
            cursor.expectSymbol(">");
            return new Declared(array(element.type), "ARRAY<" + element.declared + ">", 0, false);
        }
        Token token = cursor.peek();
        Type type = GOOGLE.get(token.isWord("BOOLEAN") ? "BOOL" : token.upper());
        if (type == null || cursor.peek(1).isSymbol(".")) {
            String name = dottedName(cursor);
            Type declared = bundle.find(name).orElseThrow(() -> Errors.invalidArgument("Type not found: %s", name));
            return new Declared(declared, name, 0, false);
        }
        cursor.next();
        if (!cursor.acceptSymbol("(")) {
            return new Declared(type, token.upper(), 0, false);
        }
        String length = cursor.next().text();
        cursor.expectSymbol(")");
        String declared = "%s(%s)".formatted(token.upper(), length.toUpperCase(Locale.ROOT));
        return new Declared(type, declared, length.equalsIgnoreCase("MAX") ? 0 : Integer.parseInt(length), false);
    }

    private static Declared parsePostgres(TokenCursor cursor) {
        boolean commitTimestamp =
                cursor.peek().isWord("spanner") && cursor.peek(1).isSymbol(".");
        String name = (commitTimestamp ? cursor.expectName() : cursor.next().text()).toLowerCase(Locale.ROOT);
        Type type = POSTGRES.get(postgresName(name));
        if (type == null) {
            throw Errors.failedPrecondition("Type <%s> is not supported.", name);
        }
        if (cursor.acceptWords("precision") || cursor.acceptWords("varying")) {
            name = name.equals("double") ? "double precision" : "character varying";
        }
        int length = 0;
        if (cursor.peek().isSymbol("(")) {
            String arguments = cursor.skipGroup();
            if (type.equals(STRING)) {
                length = Integer.parseInt(
                        arguments.substring(1, arguments.length() - 1).strip());
                name += "(" + length + ")";
            }
        }
        if (cursor.acceptWords("with", "time", "zone")) {
            name = "timestamp with time zone";
        }
        String declared = commitTimestamp ? "spanner.commit_timestamp" : postgresName(name);
        if (cursor.acceptSymbol("[")) {
            cursor.expectSymbol("]");
            return new Declared(array(type), declared + "[]", 0, false);
        }
        return new Declared(type, declared, length, commitTimestamp);
    }

    private static String postgresName(String name) {
        return switch (name) {
            case "bool" -> "boolean";
            case "int8", "int", "int4", "integer" -> "bigint";
            case "float4" -> "real";
            case "float8", "double" -> "double precision";
            case "decimal" -> "numeric";
            case "text", "varchar", "character" -> "character varying";
            case "timestamptz", "timestamp" -> "timestamp with time zone";
            default -> name.startsWith("varchar(") ? "character varying" + name.substring(7) : name;
        };
    }

    /** Returns the name of a column that is a cast to a type, in PostgreSQL. */
    static String postgresColumnName(Type type) {
        return switch (type.getCode()) {
            case INT64 -> "int8";
            case FLOAT32 -> "float4";
            case FLOAT64 -> "float8";
            case STRING -> "varchar";
            case BYTES -> "bytea";
            case TIMESTAMP -> "timestamptz";
            case JSON -> "jsonb";
            case ARRAY -> postgresColumnName(type.getArrayElementType());
            default -> type.getCode().name().toLowerCase(Locale.ROOT);
        };
    }

    /** Returns the dialect's type without elements or fields. */
    static Type of(TypeCode code, DatabaseDialect dialect) {
        boolean postgres = dialect == DatabaseDialect.POSTGRESQL;
        return switch (code) {
            case NUMERIC -> postgres ? PG_NUMERIC : NUMERIC;
            case JSON -> postgres ? PG_JSONB : JSON;
            default -> of(code);
        };
    }

    public static String engineType(Type type) {
        return switch (type.getCode()) {
            case BOOL -> "BOOLEAN";
            case INT64, ENUM -> "BIGINT";
            case FLOAT32 -> "REAL";
            case FLOAT64 -> "DOUBLE PRECISION";
            case NUMERIC ->
                type.getTypeAnnotation() == TypeAnnotationCode.PG_NUMERIC
                        ? "DECFLOAT(" + PG_NUMERIC_PRECISION + ")"
                        : "NUMERIC(38, 9)";
            case STRING -> "VARCHAR";
            case BYTES, PROTO -> "VARBINARY";
            case DATE -> "DATE";
            case TIMESTAMP -> "TIMESTAMP(9) WITH TIME ZONE";
            case JSON -> "JSON";
            case UUID -> "UUID";
            case ARRAY -> engineType(type.getArrayElementType()) + " ARRAY";
            default -> throw Errors.unimplemented("the emulator does not store values of type %s", type.getCode());
        };
    }

    /** Returns the text of a type without a length. */
    public static String declared(Type type, DatabaseDialect dialect) {
        boolean postgres = dialect == DatabaseDialect.POSTGRESQL;
        if (type.getCode() == TypeCode.ARRAY) {
            String element = declared(type.getArrayElementType(), dialect);
            return postgres ? element + "[]" : "ARRAY<" + element + ">";
        }
        if (postgres) {
            return POSTGRES.entrySet().stream()
                    .filter(entry -> entry.getValue().equals(type))
                    .map(Map.Entry::getKey)
                    .filter(name -> !name.equals("commit_timestamp"))
                    .findFirst()
                    .orElseThrow();
        }
        boolean sized = type.getCode() == TypeCode.STRING || type.getCode() == TypeCode.BYTES;
        return type.getCode().name() + (sized ? "(MAX)" : "");
    }

    /** Returns the Spanner type of a result column of the engine, from its type name, precision and scale. */
    public static Type fromEngine(String name, int precision, int scale, DatabaseDialect dialect) {
        boolean postgres = dialect == DatabaseDialect.POSTGRESQL;
        if (name.endsWith(" ARRAY")) {
            String element = name.substring(0, name.length() - " ARRAY".length());
            // The engine does not report the precision of an array's elements; only numeric results in arrays of these
            // types.
            int elementPrecision = element.equals("DECFLOAT") ? PG_NUMERIC_PRECISION : 0;
            int elementScale = element.startsWith("NUMERIC(38, 9)") ? 9 : 0;
            return array(fromEngine(element, elementPrecision, elementScale, dialect));
        }
        String base = name.indexOf('(') < 0 ? name : name.substring(0, name.indexOf('('));
        return switch (base) {
            case "BOOLEAN" -> BOOL;
            case "TINYINT", "SMALLINT", "INTEGER", "BIGINT" -> INT64;
            case "REAL" -> FLOAT32;
            case "DOUBLE PRECISION", "FLOAT" -> FLOAT64;
            case "DECFLOAT" -> postgres && precision > 1000 ? PG_NUMERIC : FLOAT64;
            case "NUMERIC", "DECIMAL" -> postgres ? PG_NUMERIC : scale == 0 ? INT64 : scale == 10 ? FLOAT64 : NUMERIC;
            case "CHARACTER VARYING", "CHARACTER", "CHARACTER LARGE OBJECT", "CHAR" -> STRING;
            case "BINARY VARYING", "BINARY", "BINARY LARGE OBJECT" -> BYTES;
            case "DATE" -> DATE;
            case "TIMESTAMP", "TIMESTAMP WITH TIME ZONE" -> TIMESTAMP;
            case "JSON" -> postgres ? PG_JSONB : JSON;
            case "UUID" -> UUID;
            case "NULL" -> postgres ? STRING : INT64;
            default -> throw Errors.unimplemented("the emulator cannot return a column of type %s", name);
        };
    }
}
