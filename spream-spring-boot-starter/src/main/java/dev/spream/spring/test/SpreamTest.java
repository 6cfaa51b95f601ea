package dev.spream.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * A test of the subscriptions of an application, on an emulator, without the rest of the application: of its components,
 * those are found that spream uses, such as consumers. What these need is imported, or included by a filter.
 *
 * <pre>{@code
 * @SpreamTest(ddl = "schema.sql")
 * class OrdersTest {
 *     @Autowired SpannerConnection connection;
 *     @Autowired Orders orders;
 * }
 * }</pre>
 *
 * <p>{@code @SpringBootTest} with {@link AutoConfigureSpannerEmulator} tests the whole application.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@BootstrapWith(SpreamTestBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(SpreamTypeExcludeFilter.class)
@AutoConfigureSpannerEmulator
@ImportAutoConfiguration
public @interface SpreamTest {
    /** Returns the DDL files, as {@link AutoConfigureSpannerEmulator#ddl}. */
    @AliasFor(annotation = AutoConfigureSpannerEmulator.class, attribute = "ddl")
    String[] ddl() default {};

    /** Returns further DDL, as {@link AutoConfigureSpannerEmulator#statements}. */
    @AliasFor(annotation = AutoConfigureSpannerEmulator.class, attribute = "statements")
    String[] statements() default {};

    /** Returns properties of the test, as {@code key=value}. */
    String[] properties() default {};

    /** Returns whether components that spream uses are found; otherwise only those of {@link #includeFilters}. */
    boolean useDefaultFilters() default true;

    /** Returns filters of further components. */
    Filter[] includeFilters() default {};

    /** Returns filters of components that are left out. */
    Filter[] excludeFilters() default {};

    /** Returns auto-configurations that are left out. */
    @AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
    Class<?>[] excludeAutoConfiguration() default {};
}
