package com.example.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.cloud.spanner.Mutation;
import dev.spream.spring.test.SpreamTest;
import dev.spream.storage.spanner.SpannerConnection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@SpreamTest(ddl = "orders.sql")
@ExtendWith(OutputCaptureExtension.class)
class OrderPrinterTest {
    @Autowired
    private SpannerConnection connection;

    @Test
    void an_order_is_printed(CapturedOutput output) {
        connection
                .client()
                .write(List.of(Mutation.newInsertBuilder("Orders")
                        .set("Id")
                        .to("order-1")
                        .set("Status")
                        .to("PLACED")
                        .build()));

        await().untilAsserted(() -> assertThat(output)
                .contains("INSERT [Mod[keys={\"Id\":\"order-1\"}, newValues={\"Status\":\"PLACED\"}"));
    }
}
