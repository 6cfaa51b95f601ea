package dev.spream.examples;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Module;
import com.google.inject.Stage;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.guice.SpreamModule;
import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.consume.Consumer;
import dev.spream.core.record.DataChangeRecord;
import java.nio.file.Path;

/** A subscription in an application that Guice wires: bound types are used, and the rest is in a file. */
public final class GuiceExample {
    private GuiceExample() {}

    /** {@code GuiceExample [spream.properties]}. */
    public static void main(String[] args) {
        if (args.length != 1) {
            System.err.println("usage: GuiceExample <file>");
            System.exit(2);
        }
        run(SpreamConfig.load(Path.of(args[0])), new OrdersModule());
        System.exit(0); // threads of the client library may linger
    }

    static void run(SpreamConfig config, Module application) {
        Injector injector = Guice.createInjector(Stage.PRODUCTION, new SpreamModule(config), application);
        try (Spream spream = injector.getInstance(Spream.class)) {
            Runtime.getRuntime().addShutdownHook(new Thread(spream::shutdown));
            spream.run();
        }
    }

    /** Binds the handler of changes. */
    static final class OrdersModule extends AbstractModule {
        @Override
        protected void configure() {
            bind(Consumer.class).to(OrderPrinter.class);
        }
    }

    /** A handler that Guice creates, with its dependencies. */
    static final class OrderPrinter implements ChangeHandler {
        @Override
        public void consume(DataChangeRecord change) {
            System.out.println(change.toJson());
        }
    }
}
