package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.TypeCode;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The functions of a dialect that are calls with plain arguments, each with its form in the embedded engine. The engine
 * has many functions of its own; only those in here and those that {@link FunctionTranslator} rewrites can be called.
 *
 * @param forms the form for a name and a number of arguments, {@code name/number}; {@code name/*} is for any number
 * @param accepted the types that the first argument of a form may have; none for any
 * @param unsupported functions of Spanner or of its dialect that this emulator refuses
 */
record FunctionCatalog(Map<String, String> forms, Map<String, String> accepted, Set<String> unsupported) {
    /**
     * A line has a name, the numbers of arguments, and the form with the arguments as {@code $1}, {@code $2}, or all as
     * {@code $*}. Without a form it is a call of the same name. Types in brackets are those that the first argument may
     * have. A type after the name is that of the first argument, or of all that are alike, for which the line is.
     */
    private static final FunctionCatalog GOOGLESQL = parsed("""
            abs          1
            acos         1   [INT64 FLOAT64 DECFLOAT] SPANNER_FINITE('ACOS', ACOS($1), $1)
            any_value    1
            array_agg    1
            array_length 1   CARDINALITY($1)
            asin         1   [INT64 FLOAT64 DECFLOAT] SPANNER_FINITE('ASIN', ASIN($1), $1)
            atan         1   [INT64 FLOAT64 DECFLOAT]
            atan2        2   [INT64 FLOAT64 DECFLOAT]
            avg          1
            bit_and      1   BIT_AND_AGG($1)
            bit_count    1   BITCOUNT($1)
            bit_or       1   BIT_OR_AGG($1)
            bit_xor      1   BIT_XOR_AGG($1)
            byte_length  1   OCTET_LENGTH($1)
            ceil         1   [FLOAT64 DECFLOAT NUMERIC] CEIL($1) + CAST(0 AS NUMERIC(38, 9))
            ceil:float   1   SPANNER_CEIL($1)
            ceiling      1   [FLOAT64 DECFLOAT NUMERIC] CEIL($1) + CAST(0 AS NUMERIC(38, 9))
            ceiling:float 1  SPANNER_CEIL($1)
            char_length  1   [STRING] SPANNER_SIZE($1)
            character_length 1 [STRING] SPANNER_SIZE($1)
            coalesce     *
            cos          1   [INT64 FLOAT64 DECFLOAT] SPANNER_FINITE('COS', COS($1), $1)
            cosh         1   [INT64 FLOAT64 DECFLOAT] SPANNER_FINITE('COSH', COSH($1), $1)
            count        1
            countif      1   COUNT(*) FILTER (WHERE $1)
            div          2   [INT64] SPANNER_DIV($1, $2)
            ends_with    2   [STRING] (RIGHT($1, CHAR_LENGTH($2)) = $2)
            exp          1   [INT64 FLOAT64 DECFLOAT] SPANNER_FINITE('EXP', EXP($1), $1)
            floor        1   [FLOAT64 DECFLOAT NUMERIC] FLOOR($1) + CAST(0 AS NUMERIC(38, 9))
            floor:float  1   SPANNER_FLOOR($1)
            greatest     *
            ieee_divide  2   SPANNER_IEEE_DIVIDE($1, $2)
            if           3   CASE WHEN $1 THEN $2 ELSE $3 END
            ifnull       2   COALESCE($1, $2)
            is_inf       1   SPANNER_IS_INF($1)
            is_nan       1   SPANNER_IS_NAN($1)
            least        *
            least:float  *   CASE WHEN SPANNER_ANY_NAN($*) THEN GREATEST($*) ELSE LEAST($*) END
            length       1   [STRING BYTES] SPANNER_SIZE($1)
            ln           1   [INT64 FLOAT64 DECFLOAT] SPANNER_FINITE('LN', LN($1), $1)
            log          1   [INT64 FLOAT64 DECFLOAT] SPANNER_FINITE('LOG', LN($1), $1)
            log          2   [INT64 FLOAT64 DECFLOAT] SPANNER_FINITE('LOG', LOG($2, $1), $1, $2)
            log10        1   [INT64 FLOAT64 DECFLOAT] SPANNER_FINITE('LOG10', LOG10($1), $1)
            logical_and  1   BOOL_AND($1)
            logical_or   1   BOOL_OR($1)
            lower        1   [STRING]
            lpad         2   [STRING] SPANNER_LPAD($1, $2, ' ')
            lpad         3   [STRING] SPANNER_LPAD($1, $2, $3)
            ltrim        1   [STRING] SPANNER_LTRIM($1)
            ltrim        2   [STRING] SPANNER_LTRIM($1, $2)
            max          1
            min          1
            min:float    1   CASE WHEN BOOL_OR(SPANNER_IS_NAN($1)) THEN CAST('NaN' AS DOUBLE PRECISION) ELSE MIN($1) END
            mod          2   [INT64 NUMERIC] MOD($1, $2 + ($1 - $1))
            mod:int64    2   SPANNER_MOD($1, $2)
            nullif       2
            octet_length 1
            pow          2   [INT64 FLOAT64 DECFLOAT] SPANNER_FINITE('POW', POWER($1, $2), $1, $2)
            power        2   [INT64 FLOAT64 DECFLOAT] SPANNER_FINITE('POW', POWER($1, $2), $1, $2)
            repeat       2   [STRING] REPEAT($1, SPANNER_COUNT($2))
            replace      3   [STRING]
            reverse      1   [STRING] SPANNER_REVERSE($1)
            round        1   [FLOAT64 DECFLOAT NUMERIC] ROUND($1) + CAST(0 AS NUMERIC(38, 9))
            round        2   [FLOAT64 DECFLOAT NUMERIC] ROUND($1, $2) + CAST(0 AS NUMERIC(38, 9))
            round:float  1   SPANNER_ROUND($1)
            round:float  2   SPANNER_ROUND($1, $2)
            rpad         2   [STRING] SPANNER_RPAD($1, $2, ' ')
            rpad         3   [STRING] SPANNER_RPAD($1, $2, $3)
            rtrim        1   [STRING] SPANNER_RTRIM($1)
            rtrim        2   [STRING] SPANNER_RTRIM($1, $2)
            sign         1   [INT64]
            sign:float   1   SPANNER_SIGN($1)
            sign:numeric 1   CAST(SIGN($1) AS NUMERIC(38, 9))
            sin          1   [INT64 FLOAT64 DECFLOAT] SPANNER_FINITE('SIN', SIN($1), $1)
            sinh         1   [INT64 FLOAT64 DECFLOAT] SPANNER_FINITE('SINH', SINH($1), $1)
            sqrt         1   [INT64 FLOAT64 DECFLOAT] SPANNER_FINITE('SQRT', SQRT($1), $1)
            starts_with  2   [STRING] (LEFT($1, CHAR_LENGTH($2)) = $2)
            stddev       1   STDDEV_SAMP($1)
            stddev_samp  1
            string_agg   1   LISTAGG($1, ',')
            string_agg   2   LISTAGG($*)
            strpos       2   [STRING] SPANNER_STRPOS($1, $2)
            strpos:bytes 2   LOCATE($2, $1)
            substr       2   SUBSTR($1, SPANNER_START($1, $2))
            substr       3   SUBSTR($1, SPANNER_START($1, $2), SPANNER_LENGTH($1, $2, $3))
            substring    2   SUBSTR($1, SPANNER_START($1, $2))
            substring    3   SUBSTR($1, SPANNER_START($1, $2), SPANNER_LENGTH($1, $2, $3))
            sum          1
            tan          1   [INT64 FLOAT64 DECFLOAT] SPANNER_FINITE('TAN', TAN($1), $1)
            tanh         1   [INT64 FLOAT64 DECFLOAT]
            to_json_string 1 [JSON] SPANNER_TEXT($1)
            trim         1   [STRING] SPANNER_LTRIM(SPANNER_RTRIM($1))
            trim         2   [STRING] SPANNER_LTRIM(SPANNER_RTRIM($1, $2), $2)
            trunc        1   [FLOAT64 DECFLOAT NUMERIC] TRUNC($1) + CAST(0 AS NUMERIC(38, 9))
            trunc        2   [FLOAT64 DECFLOAT NUMERIC] TRUNC($1, $2) + CAST(0 AS NUMERIC(38, 9))
            trunc:float  1   SPANNER_TRUNC($1)
            trunc:float  2   SPANNER_TRUNC($1, $2)
            upper        1   [STRING]
            var_samp     1
            variance     1   VAR_SAMP($1)
            """, """
            acosh adddate ai.classify ai.if ai.score approx_cosine_distance approx_count_distinct approx_dot_product
            approx_euclidean_distance array_concat array_concat_agg array_filter array_first array_includes
            array_includes_all array_includes_any array_is_distinct array_last array_max array_min array_reverse
            array_slice array_to_string array_transform ascii asinh atanh bit_reverse bool bool_array chr
            code_points_to_bytes code_points_to_string corr cosine_distance cot covar_pop covar_samp date date_diff
            date_from_unix_date date_trunc debug_tokenlist destination_node_id dot_product edges element_id error
            euclidean_distance farm_fingerprint float32 float32_array float64 float64_array format format_date
            format_timestamp from_base32 from_base64 from_hex generate_array generate_date_array iferror int64
            int64_array is_acyclic is_first is_simple is_trail iserror json_array json_array_append json_array_insert
            json_contains json_keys json_object json_query json_query_array json_remove json_set json_strip_nulls
            json_type json_value json_value_array justify_days justify_hours justify_interval labels lax_bool
            lax_float64 lax_int64 lax_string left make_interval md5 net.host net.ip_from_string net.ip_net_mask
            net.ip_to_string net.ip_trunc net.ipv4_from_int64 net.ipv4_to_int64 net.public_suffix net.reg_domain
            net.safe_ip_from_string new_uuid nodes normalize normalize_and_casefold nullifzero nulliferror offset
            ordinal parse_date parse_json parse_timestamp path_first path_last path_length property_names rand
            regexp_contains regexp_extract regexp_extract_all regexp_instr regexp_replace right safe_add
            safe_convert_bytes_to_string safe_divide safe_multiply safe_negate safe_offset safe_ordinal safe_subtract
            safe_to_json score score_ngrams search search_ngrams search_substring session_user sha1 sha256 sha512
            snippet soundex source_node_id split split_substr stddev_pop string string_array struct subdate timestamp
            timestamp_diff timestamp_micros timestamp_millis timestamp_seconds timestamp_trunc to_base32 to_base64
            to_code_points to_hex to_json token tokenize_bool tokenize_fulltext tokenize_json tokenize_ngrams
            tokenize_number tokenize_substring tokenlist_concat unicode unix_date unix_micros unix_millis unix_seconds
            var_pop zeroifnull
            """);

    private static final FunctionCatalog POSTGRESQL = parsed("""
            abs          1
            acos         1   [INT64 FLOAT64] SPANNER_FINITE('ACOS', ACOS($1), $1)
            array_agg    1
            array_cat    2
            array_length 2   CARDINALITY($1)
            array_upper  2   CARDINALITY($1)
            asin         1   [INT64 FLOAT64] SPANNER_FINITE('ASIN', ASIN($1), $1)
            atan         1   [INT64 FLOAT64]
            atan2        2   [INT64 FLOAT64]
            avg          1
            bit_and      1   BIT_AND_AGG($1)
            bit_or       1   BIT_OR_AGG($1)
            bool_and     1
            bool_or      1
            btrim        1   [STRING] SPANNER_LTRIM(SPANNER_RTRIM($1))
            btrim        2   [STRING] SPANNER_LTRIM(SPANNER_RTRIM($1, $2), $2)
            ceil         1   [FLOAT64 DECFLOAT NUMERIC]
            ceiling      1   [FLOAT64 DECFLOAT NUMERIC] CEIL($1)
            coalesce     *
            cos          1   [INT64 FLOAT64] SPANNER_FINITE('COS', COS($1), $1)
            count        1
            dexp         1   [INT64 FLOAT64] SPANNER_FINITE('EXP', EXP($1), $1)
            dlog1        1   [INT64 FLOAT64] SPANNER_FINITE('LN', LN($1), $1)
            dlog10       1   [INT64 FLOAT64] SPANNER_FINITE('LOG10', LOG10($1), $1)
            dpow         2   [INT64 FLOAT64] SPANNER_FINITE('POW', POWER($1, $2), $1, $2)
            dsqrt        1   [INT64 FLOAT64] SPANNER_FINITE('SQRT', SQRT($1), $1)
            every        1
            exp          1   [INT64 FLOAT64] SPANNER_FINITE('EXP', EXP($1), $1)
            floor        1   [FLOAT64 DECFLOAT NUMERIC]
            greatest     *   GREATEST($*) IGNORE NULLS
            least        *   LEAST($*) IGNORE NULLS
            length       1   [STRING BYTES] SPANNER_SIZE($1)
            ln           1   [INT64 FLOAT64] SPANNER_FINITE('LN', LN($1), $1)
            log          1   [INT64 FLOAT64] SPANNER_FINITE('LOG10', LOG10($1), $1)
            lower        1   [STRING]
            lpad         2   [STRING] SPANNER_LPAD($1, $2, ' ')
            lpad         3   [STRING] SPANNER_LPAD($1, $2, $3)
            ltrim        1   [STRING] SPANNER_LTRIM($1)
            ltrim        2   [STRING] SPANNER_LTRIM($1, $2)
            max          1
            min          1
            mod          2   [INT64 NUMERIC DECFLOAT] MOD($1, $2 + ($1 - $1))
            mod:int64    2   SPANNER_MOD($1, $2)
            nullif       2
            pow          2   [INT64 FLOAT64] SPANNER_FINITE('POW', POWER($1, $2), $1, $2)
            power        2   [INT64 FLOAT64] SPANNER_FINITE('POW', POWER($1, $2), $1, $2)
            repeat       2   [STRING] REPEAT($1, SPANNER_COUNT($2))
            replace      3   [STRING]
            reverse      1   [STRING] SPANNER_REVERSE($1)
            round        1   [FLOAT64]
            rpad         2   [STRING] SPANNER_RPAD($1, $2, ' ')
            rpad         3   [STRING] SPANNER_RPAD($1, $2, $3)
            rtrim        1   [STRING] SPANNER_RTRIM($1)
            rtrim        2   [STRING] SPANNER_RTRIM($1, $2)
            sin          1   [INT64 FLOAT64] SPANNER_FINITE('SIN', SIN($1), $1)
            sqrt         1   [INT64 FLOAT64] SPANNER_FINITE('SQRT', SQRT($1), $1)
            starts_with  2   [STRING] (LEFT($1, CHAR_LENGTH($2)) = $2)
            string_agg   2   LISTAGG($*)
            strpos       2   [STRING] SPANNER_STRPOS($1, $2)
            substr       2   SUBSTR($1, SPANNER_START($1, $2))
            substr       3   SUBSTR($1, SPANNER_START($1, $2), SPANNER_LENGTH($1, $2, $3))
            substring    1   SUBSTRING($1)
            substring    2   SUBSTR($1, SPANNER_START($1, $2))
            substring    3   SUBSTR($1, SPANNER_START($1, $2), SPANNER_LENGTH($1, $2, $3))
            sum          1
            tan          1   [INT64 FLOAT64] SPANNER_FINITE('TAN', TAN($1), $1)
            textcat      2   ($1 || $2)
            trim         1   TRIM($1)
            trunc        1   [FLOAT64]
            upper        1   [STRING]
            """, """
            age array_all_equal array_all_greater array_all_greater_equal array_all_less array_all_less_equal
            array_append array_position array_prepend array_remove array_slice array_to_string arraycontained
            arraycontains arrayoverlap ascii bit_length bit_xor cardinality cbrt char_length
            character_length chr clock_timestamp concat_ws corr cosh cot cume_dist current_database current_schema
            current_setting current_user date_part date_trunc degrees dense_rank div encode filter first_value format gen_random_uuid
            generate_series initcap json_agg jsonb_agg jsonb_array_elements jsonb_array_length jsonb_build_array
            jsonb_build_object jsonb_delete jsonb_delete_path jsonb_exists jsonb_exists_all jsonb_exists_any
            jsonb_insert jsonb_object_keys jsonb_set jsonb_set_lax jsonb_strip_nulls jsonb_typeof justify_days
            justify_hours justify_interval lag last_value lead left localtime localtimestamp log10 make_date make_interval
            make_timestamptz md5 mode octet_length over percent_rank pg_typeof pi position quote_ident quote_literal radians random rank
            regexp_like regexp_match regexp_replace regexp_split_to_array regexp_substr regr_count right
            row_number sha256
            sha512 sign sinh soundex split_part spanner.bit_reverse spanner.bool_array spanner.cosine_distance
            spanner.date spanner.date_bin spanner.dot_product spanner.euclidean_distance spanner.farm_fingerprint
            spanner.float32_array spanner.float64_array spanner.int64_array spanner.jsonb_query_array spanner.score
            spanner.score_ngrams spanner.search spanner.search_ngrams spanner.search_substring spanner.snippet
            spanner.soundex spanner.string_array spanner.timestamp_from_unix_micros
            spanner.timestamp_from_unix_millis spanner.timestamptz_add spanner.timestamptz_subtract spanner.token
            spanner.tokenize_bool spanner.tokenize_fulltext spanner.tokenize_jsonb spanner.tokenize_ngrams
            spanner.tokenize_number spanner.tokenize_substring spanner.tokenlist_concat stddev stddev_pop stddev_samp
            string_to_array tanh textregexeq textregexne to_char to_date to_hex to_jsonb to_number to_timestamp
            translate var_pop var_samp variance version
            """);

    static FunctionCatalog of(DatabaseDialect dialect) {
        return dialect == DatabaseDialect.POSTGRESQL ? POSTGRESQL : GOOGLESQL;
    }

    private static FunctionCatalog parsed(String lines, String unsupported) {
        Map<String, String> forms = new HashMap<>();
        Map<String, String> accepted = new HashMap<>();
        for (String line : lines.lines().toList()) {
            String[] parts = line.split(" +", 3);
            String name = parts[0].toUpperCase(Locale.ROOT);
            String rest = parts.length < 3 ? "" : parts[2];
            String types = rest.startsWith("[") ? rest.substring(1, rest.indexOf(']')) : "";
            String own = types.isEmpty()
                    ? rest
                    : rest.substring(rest.indexOf(']') + 1).strip();
            String key = parts[0] + "/" + parts[1];
            forms.put(key, own.isEmpty() ? name + "($*)" : own);
            if (!types.isEmpty()) {
                accepted.put(key, types);
            }
        }
        return new FunctionCatalog(
                Collections.unmodifiableMap(forms),
                Collections.unmodifiableMap(accepted),
                Set.of(unsupported.split("\\s+")));
    }

    /**
     * Returns the call in the engine's words, or nothing if the function cannot have this number of arguments.
     *
     * @param type the type of the first argument, or of all, as far as it is known
     */
    Optional<String> call(String name, List<String> arguments, TypeCode type) {
        boolean distinct = !arguments.isEmpty() && arguments.getFirst().startsWith("DISTINCT ");
        boolean floating = type == TypeCode.FLOAT32 || type == TypeCode.FLOAT64;
        String kind = floating ? "float" : type.name().toLowerCase(Locale.ROOT);
        return Stream.of(name + ":" + kind, name)
                .filter(each -> !distinct || each.equals(name))
                .flatMap(each -> Stream.of(each + "/" + arguments.size(), each + (arguments.isEmpty() ? "/" : "/*")))
                .filter(forms::containsKey)
                .findFirst()
                .map(key -> filled(accepting(name, key, type), arguments));
    }

    private String accepting(String name, String key, TypeCode type) {
        String form = Objects.requireNonNull(forms.get(key));
        String types = accepted.get(key);
        if (types == null) {
            return form;
        }
        String accepting = type == TypeCode.FLOAT32 ? "FLOAT64" : type.name();
        if (type == OperatorRules.UNKNOWN || type == TypeCode.NUMERIC) {
            return "CASE WHEN SPANNER_ACCEPTS('%s', '%s', $1) THEN %s END"
                    .formatted(name.toUpperCase(Locale.ROOT), types, form);
        }
        if (!List.of(types.split(" ", -1)).contains(accepting)) {
            throw Errors.unimplemented(
                    "The emulator does not support the function %s for values of type %s",
                    name.toUpperCase(Locale.ROOT), type);
        }
        return form;
    }

    /** Returns a form with its arguments. */
    static String filled(String form, List<String> arguments) {
        StringBuilder call = new StringBuilder();
        int end = 0;
        for (int at = form.indexOf('$'); at >= 0; at = form.indexOf('$', end)) {
            char which = form.charAt(at + 1);
            call.append(form, end, at).append(which == '*' ? String.join(", ", arguments) : arguments.get(which - '1'));
            end = at + 2;
        }
        return call.append(form.substring(end)).toString();
    }

    /** Returns whether the function takes some number of arguments. */
    boolean has(String name) {
        return forms.keySet().stream().anyMatch(key -> key.startsWith(name + "/"));
    }
}
