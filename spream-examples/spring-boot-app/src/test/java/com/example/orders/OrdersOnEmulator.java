package com.example.orders;

import com.google.cloud.spanner.Mutation;
import dev.spream.spring.test.SpannerEmulatorInitializer;
import dev.spream.storage.spanner.SpannerConnection;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.TestComponent;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** The application on an emulator, with an order a second. */
@TestComponent
@EnableScheduling
class OrdersOnEmulator {
    private final SpannerConnection connection;
    private int orders;

    OrdersOnEmulator(SpannerConnection connection) {
        this.connection = connection;
    }

    public static void main(String[] args) {
        SpringApplication application = new SpringApplication(OrdersApplication.class, OrdersOnEmulator.class);
        application.addInitializers(SpannerEmulatorInitializer.of("orders.sql"));
        application.run(args);
    }

    @Scheduled(fixedRate = 1_000)
    void placeOrder() {
        orders++;
        connection
                .client()
                .write(List.of(Mutation.newInsertBuilder("Orders")
                        .set("Id")
                        .to("order-" + orders)
                        .set("Status")
                        .to("PLACED")
                        .build()));
    }
}
