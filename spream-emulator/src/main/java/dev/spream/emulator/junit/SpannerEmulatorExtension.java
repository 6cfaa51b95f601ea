package dev.spream.emulator.junit;

import static java.util.Objects.requireNonNull;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.DdlScript;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.FaultRates;
import dev.spream.emulator.control.PartitionChurn;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Starts the emulator once for a test class, and gives each test a database of its own: the parameter {@link
 * TestDatabase} of a test, or of a method that runs before or after each.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final SpannerEmulatorExtension SPANNER =
 *         SpannerEmulatorExtension.builder().ddlResource("schema.sql").build();
 *
 * @Test
 * void a_split_loses_nothing(TestDatabase database) {
 *     database.stream("OrdersStream").split();
 *     ...
 * }
 * }</pre>
 *
 * <p>The field must be static. Nested classes share the server. Tests may run in parallel.
 */
public final class SpannerEmulatorExtension implements BeforeAllCallback, ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(SpannerEmulatorExtension.class);

    private final SpannerEmulator.Builder settings;
    private final InstantSource clock;
    private final DatabaseDialect dialect;
    private final List<String> ddl;

    private SpannerEmulatorExtension(Builder builder) {
        this.settings = builder.settings;
        this.clock = builder.clock;
        this.dialect = builder.dialect;
        this.ddl = builder.ddl.stream()
                .flatMap(each ->
                        each.isScript() ? DdlScript.statements(each.text(), dialect).stream() : Stream.of(each.text()))
                .toList();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The server of a test class; the store of its context closes it. */
    private record Server(SpannerEmulator emulator) implements AutoCloseable {
        @Override
        public void close() {
            emulator.close();
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        server(context);
    }

    private SpannerEmulator server(ExtensionContext context) {
        return context.getStore(NAMESPACE)
                .computeIfAbsent(this, key -> new Server(settings.start()), Server.class)
                .emulator();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestDatabase.class;
    }

    @Override
    public TestDatabase resolveParameter(ParameterContext parameter, ExtensionContext context) {
        if (context.getTestMethod().isEmpty()) {
            throw new ParameterResolutionException(
                    "a TestDatabase belongs to one test: make it a parameter of a test, or of a"
                            + " method with @BeforeEach or @AfterEach");
        }
        SpannerEmulator emulator = server(context);
        return context.getStore(NAMESPACE)
                .computeIfAbsent(Created.class, key -> create(emulator), Created.class)
                .database();
    }

    /** The database of a test; the store of the test's context closes it. */
    private record Created(TestDatabase database) implements AutoCloseable {
        @Override
        public void close() {
            database.emulator().dropDatabase(database.name());
        }
    }

    private Created create(SpannerEmulator emulator) {
        String name = "projects/test/instances/test-instance/databases/test-"
                + UUID.randomUUID().toString().substring(0, 13);
        emulator.createDatabase(name, dialect, ddl.toArray(String[]::new));
        return new Created(new TestDatabase(emulator, clock, name));
    }

    /** One statement, or a script of several, which the dialect divides. */
    private record Ddl(String text, boolean isScript) {}

    /** The settings of the servers and databases. */
    public static final class Builder {
        private final SpannerEmulator.Builder settings = SpannerEmulator.builder();
        private final List<Ddl> ddl = new ArrayList<>();
        private InstantSource clock = InstantSource.system();
        private DatabaseDialect dialect = DatabaseDialect.GOOGLE_STANDARD_SQL;

        private Builder() {}

        /** Adds DDL statements for each database. */
        public Builder ddl(String... statements) {
            List.of(statements).forEach(statement -> ddl.add(new Ddl(statement, false)));
            return this;
        }

        /**
         * Adds the DDL statements of a file on the class path; each ends with a semicolon.
         *
         * @throws IllegalArgumentException if there is no such file
         */
        public Builder ddlResource(String name) {
            try (InputStream file =
                    Thread.currentThread().getContextClassLoader().getResourceAsStream(name)) {
                if (file == null) {
                    throw new IllegalArgumentException("no file \"" + name + "\" is on the class path");
                }
                ddl.add(new Ddl(new String(file.readAllBytes(), StandardCharsets.UTF_8), true));
                return this;
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read \"" + name + "\" on the class path", e);
            }
        }

        /** Sets the dialect of the databases; GoogleSQL by default. */
        public Builder dialect(DatabaseDialect dialectOfAll) {
            this.dialect = requireNonNull(dialectOfAll, "dialectOfAll");
            return this;
        }

        /** Sets the clock, as {@link SpannerEmulator.Builder#clock} does. */
        public Builder clock(InstantSource source) {
            this.clock = requireNonNull(source, "source");
            settings.clock(source);
            return this;
        }

        /** Sets how partitions change by themselves, as {@link SpannerEmulator.Builder#churn} does. */
        public Builder churn(PartitionChurn churn) {
            settings.churn(churn);
            return this;
        }

        /** Sets how often queries fail by themselves, as {@link SpannerEmulator.Builder#faults} does. */
        public Builder faults(FaultRates rates) {
            settings.faults(rates);
            return this;
        }

        /** Sets the seed of churn and faults, as {@link SpannerEmulator.Builder#seed} does. */
        public Builder seed(long seed) {
            settings.seed(seed);
            return this;
        }

        /** Has Google's emulator hold the databases, as {@link SpannerEmulator.Builder#over} does. */
        public Builder over(String otherHost) {
            settings.over(otherHost);
            return this;
        }

        public SpannerEmulatorExtension build() {
            return new SpannerEmulatorExtension(this);
        }
    }
}
