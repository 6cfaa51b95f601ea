package dev.spream.spring.test;

import static java.util.Objects.requireNonNull;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.DdlScript;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Runs an application on an emulator in its process: for tests, by {@link AutoConfigureSpannerEmulator}, and for a main
 * method in test code that shows the application at work.
 *
 * <pre>{@code
 * SpringApplication application = new SpringApplication(OrdersApplication.class);
 * application.addInitializers(SpannerEmulatorInitializer.of("schema.sql"));
 * application.run(args);
 * }</pre>
 *
 * <p>Creates every database that a subscription reads, under its configured name, with the DDL; without a configured
 * one, {@code projects/test/instances/test/databases/test}. A configured endpoint and configured credentials of Spanner
 * have no effect on subscriptions. A subscription without a configured {@code start} begins when
 * the databases are created, so every change of a test is delivered. The beans {@link SpannerEmulator} and, for one
 * database, {@link SpannerConnection} are for the test.
 */
public final class SpannerEmulatorInitializer implements ApplicationContextInitializer<ConfigurableApplicationContext> {
    /** The property with host and port of the emulator, for other clients of Spanner in the application. */
    public static final String HOST_PROPERTY = "spream.emulator-host";

    private static final String BEAN = "spannerEmulator";
    private static final String DEFAULTS = "spream.defaults.";
    private static final String SUBSCRIPTIONS = "spream.subscriptions";
    private static final String DATABASE = "source.spanner.database";
    private static final String EMULATOR_HOST = "source.spanner.emulator-host";
    private static final String STORAGE_DATABASE = "storage.spanner.database";
    private static final String STORAGE_EMULATOR_HOST = "storage.spanner.emulator-host";
    private static final String TEST_DATABASE = "projects/test/instances/test/databases/test";

    private final List<String> files;
    private final List<String> statements;
    private final DatabaseDialect dialect;

    /**
     * Creates an initializer.
     *
     * @param files on the class path, with DDL statements that end with a semicolon
     * @param statements further DDL, a statement each
     */
    public SpannerEmulatorInitializer(List<String> files, List<String> statements, DatabaseDialect dialect) {
        this.files = List.copyOf(files);
        this.statements = List.copyOf(statements);
        this.dialect = requireNonNull(dialect, "dialect");
    }

    /** Returns an initializer for databases in GoogleSQL, from DDL files on the class path. */
    public static SpannerEmulatorInitializer of(String... files) {
        return new SpannerEmulatorInitializer(List.of(files), List.of(), DatabaseDialect.GOOGLE_STANDARD_SQL);
    }

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        String[] ddl = ddl(context);
        SpannerEmulator emulator = SpannerEmulator.start();
        try {
            initialize(context, emulator, ddl);
        } catch (RuntimeException e) {
            emulator.close(); // the context is never started, so it closes nothing
            throw e;
        }
    }

    private void initialize(ConfigurableApplicationContext context, SpannerEmulator emulator, String[] ddl) {
        DefaultListableBeanFactory beans = (DefaultListableBeanFactory) context.getBeanFactory();
        beans.registerSingleton(BEAN, emulator);
        beans.registerDisposableBean(BEAN, emulator::close); // also if the context does not start
        ConfigurableEnvironment environment = context.getEnvironment();
        Set<String> subscriptions = subscriptions(environment);
        Set<String> sources = databases(environment, subscriptions, DATABASE);
        if (sources.isEmpty()) {
            sources.add(TEST_DATABASE);
        }
        sources.forEach(database -> emulator.createDatabase(database, dialect, ddl));
        databases(environment, subscriptions, STORAGE_DATABASE).stream()
                .filter(database -> !sources.contains(database))
                .forEach(database -> emulator.createDatabase(database, dialect));
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource(BEAN, properties(environment, subscriptions, emulator)));
        if (sources.size() == 1) {
            beans.registerBeanDefinition(
                    "spannerConnection", connection(emulator, sources.iterator().next()));
        }
    }

    private static RootBeanDefinition connection(SpannerEmulator emulator, String database) {
        RootBeanDefinition definition = (RootBeanDefinition) BeanDefinitionBuilder.rootBeanDefinition(
                        SpannerConnection.class,
                        () -> SpannerConnection.builder(DatabaseName.parse(database))
                                .emulatorHost(emulator.emulatorHost())
                                .open())
                .setLazyInit(true)
                .getBeanDefinition();
        definition.setFallback(true); // the application's own is used where there is one
        return definition;
    }

    private static Set<String> subscriptions(ConfigurableEnvironment environment) {
        return Binder.get(environment)
                .bind(SUBSCRIPTIONS, Bindable.mapOf(String.class, Object.class))
                .map(Map::keySet)
                .orElse(Set.of());
    }

    private static Set<String> databases(ConfigurableEnvironment environment, Set<String> subscriptions, String key) {
        Set<String> databases = new LinkedHashSet<>();
        prefixes(subscriptions)
                .flatMap(prefix -> Stream.ofNullable(environment.getProperty(prefix + key)))
                .forEach(databases::add);
        return databases;
    }

    private static Stream<String> prefixes(Set<String> subscriptions) {
        return Stream.concat(
                Stream.of(DEFAULTS), subscriptions.stream().map(name -> "%s.%s.".formatted(SUBSCRIPTIONS, name)));
    }

    private static Map<String, Object> properties(
            ConfigurableEnvironment environment, Set<String> subscriptions, SpannerEmulator emulator) {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put(HOST_PROPERTY, emulator.emulatorHost());
        properties.put(DEFAULTS + EMULATOR_HOST, emulator.emulatorHost());
        prefixes(subscriptions)
                .flatMap(prefix -> Stream.of(prefix + EMULATOR_HOST, prefix + STORAGE_EMULATOR_HOST))
                .filter(environment::containsProperty)
                .forEach(name -> properties.put(name, emulator.emulatorHost()));
        if (prefixes(subscriptions).noneMatch(prefix -> environment.containsProperty(prefix + DATABASE))) {
            properties.put(DEFAULTS + DATABASE, TEST_DATABASE);
        }
        if (prefixes(subscriptions)
                .noneMatch(prefix -> environment.containsProperty(prefix + "start")
                        || environment.containsProperty(prefix + "snapshot"))) {
            properties.put(DEFAULTS + "start", Instant.now().toString());
        }
        return properties;
    }

    private String[] ddl(ConfigurableApplicationContext context) {
        List<String> ddl = new ArrayList<>();
        for (String file : files) {
            String location = file.contains(":") ? file : "classpath:" + file;
            try {
                String script = context.getResource(location).getContentAsString(StandardCharsets.UTF_8);
                ddl.addAll(DdlScript.statements(script, dialect));
            } catch (IOException e) {
                throw new UncheckedIOException(
                        "the DDL file %s cannot be read; nothing was started. Is it in src/main/resources or src/test/resources?"
                                .formatted(location),
                        e);
            }
        }
        ddl.addAll(statements);
        return ddl.toArray(String[]::new);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SpannerEmulatorInitializer same
                && same.files.equals(files)
                && same.statements.equals(statements)
                && same.dialect == dialect;
    }

    @Override
    public int hashCode() {
        return List.of(files, statements, dialect).hashCode();
    }
}
