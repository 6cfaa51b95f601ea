package dev.spream.spring.test;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Starts spream's emulator for the application context of a test, as {@link SpannerEmulatorInitializer} does: creates the
 * configured databases from DDL, and points every subscription to it.
 *
 * <pre>{@code
 * @SpringBootTest
 * @AutoConfigureSpannerEmulator(ddl = "schema.sql")
 * class OrdersTest { ... }
 * }</pre>
 *
 * <p>Contexts that Spring's test framework caches keep their emulator and its rows.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface AutoConfigureSpannerEmulator {
    /** Returns the files on the class path with the DDL of the databases, statements that end with a semicolon. */
    String[] ddl() default {};

    /** Returns further DDL, a statement each, applied after that of the files. */
    String[] statements() default {};

    /** Returns the dialect of the databases. */
    DatabaseDialect dialect() default DatabaseDialect.GOOGLE_STANDARD_SQL;
}
