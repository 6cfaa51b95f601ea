package dev.spream.examples;

import com.google.api.gax.longrunning.OperationFuture;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.InstanceConfigId;
import com.google.cloud.spanner.InstanceId;
import com.google.cloud.spanner.InstanceInfo;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.SpannerExceptionFactory;
import com.google.cloud.spanner.SpannerOptions;
import com.google.cloud.spanner.Value;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import java.util.logging.LogManager;

/**
 * Creates a database with a table and a change stream on the emulator at {@code SPANNER_EMULATOR_HOST}, and writes
 * orders to it. It uses google-cloud-spanner and nothing of spream.
 */
public final class WriterExample {
    private static final DatabaseId DATABASE = DatabaseId.of("example", "example", "orders");
    private static final Duration PAUSE = Duration.ofMillis(100);

    private static final List<String> SCHEMA = List.of("""
            CREATE TABLE Orders (
              OrderId STRING(36) NOT NULL,
              Status STRING(16) NOT NULL,
              UpdatedAt TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
            ) PRIMARY KEY (OrderId)""", "CREATE CHANGE STREAM OrdersStream FOR Orders");

    private WriterExample() {}

    /** {@code WriterExample 100}: the number of orders to write; each is placed and then shipped. */
    public static void main(String[] args) throws InterruptedException {
        if (args.length != 1 || !args[0].matches("\\d{1,9}")) {
            System.err.println("usage: WriterExample <number of orders>");
            System.exit(2);
        }
        if (System.getenv("SPANNER_EMULATOR_HOST") == null) {
            System.err.println("set SPANNER_EMULATOR_HOST, for instance to 127.0.0.1:9010");
            System.exit(2);
        }
        LogManager.getLogManager().reset(); // the client logs its options
        int orders = Integer.parseInt(args[0]);
        SpannerOptions options = SpannerOptions.newBuilder()
                .setProjectId(DATABASE.getInstanceId().getProject())
                .setBuiltInMetricsEnabled(false)
                .build();
        try (Spanner spanner = options.getService()) {
            create(spanner);
            System.out.println("writing to " + DATABASE.getName() + ", change stream OrdersStream");
            write(spanner.getDatabaseClient(DATABASE), orders);
        }
        System.exit(0); // threads of the client library may linger
    }

    private static void create(Spanner spanner) throws InterruptedException {
        InstanceId instance = DATABASE.getInstanceId();
        createIfAbsent(() -> spanner.getInstanceAdminClient()
                .createInstance(InstanceInfo.newBuilder(instance)
                        .setInstanceConfigId(InstanceConfigId.of(instance.getProject(), "emulator-config"))
                        .setDisplayName("example")
                        .setNodeCount(1)
                        .build()));
        createIfAbsent(() -> spanner.getDatabaseAdminClient()
                .createDatabase(instance.getInstance(), DATABASE.getDatabase(), SCHEMA));
    }

    private static void write(DatabaseClient client, int orders) throws InterruptedException {
        for (int i = 0; i < orders; i++) {
            client.write(List.of(order(i, "PLACED")));
            client.write(List.of(order(i, "SHIPPED")));
            Thread.sleep(PAUSE);
        }
    }

    private static Mutation order(int number, String status) {
        return Mutation.newInsertOrUpdateBuilder("Orders")
                .set("OrderId")
                .to("order-%04d".formatted(number))
                .set("Status")
                .to(status)
                .set("UpdatedAt")
                .to(Value.COMMIT_TIMESTAMP)
                .build();
    }

    private static void createIfAbsent(Supplier<OperationFuture<?, ?>> creation) throws InterruptedException {
        try {
            creation.get().get();
        } catch (ExecutionException e) {
            SpannerException failure = SpannerExceptionFactory.asSpannerException(e.getCause());
            if (failure.getErrorCode() != ErrorCode.ALREADY_EXISTS) {
                throw failure;
            }
        }
    }
}
