package dev.spream.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Mutation;
import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.consume.Consumer;
import dev.spream.spring.SpreamSubscriptions;
import dev.spream.spring.SubscriptionStatus.Phase;
import dev.spream.spring.test.SpannerEmulatorInitializer;
import dev.spream.storage.spanner.SpannerConnection;
import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Health, endpoint, meters and spans of a web application, over HTTP and by themselves. Its subscription fails at last. */
@Timeout(180)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ActuatorIT {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private static ConfigurableApplicationContext context;

    @BeforeAll
    static void start() {
        context = new SpringApplicationBuilder(Application.class)
                .registerShutdownHook(false)
                .initializers(SpannerEmulatorInitializer.of("orders.sql"))
                .properties(
                        "server.port=0",
                        "server.address=127.0.0.1",
                        "management.endpoints.web.exposure.include=health,spream,metrics",
                        "management.endpoint.health.probes.enabled=true",
                        "management.endpoint.health.show-details=always",
                        "management.endpoint.health.group.readiness.include=readinessState,spream",
                        "spream.defaults.storage=memory",
                        "spream.defaults.retry.max-attempts=1",
                        "spream.subscriptions.orders.source.spanner.stream=OrdersStream")
                .run();
    }

    @AfterAll
    static void close() {
        context.close();
        HTTP.close();
    }

    @Test
    @Order(1)
    void a_change_shows_in_the_endpoint_the_meters_and_the_spans() throws Exception {
        await(Phase.RUNNING);
        write("o1");
        assertThat(context.getBean(Application.class).consumed.poll(60, TimeUnit.SECONDS))
                .isEqualTo("o1");

        assertThat(get("/actuator/spream").body())
                .contains("\"name\":\"orders\"", "\"phase\":\"RUNNING\"", "\"stream\":\"OrdersStream\"");
        assertThat(get("/actuator/spream/orders").body())
                .contains("\"partitions\":[{\"token\":", "\"state\":\"RUNNING\"")
                .doesNotContain("o1");
        assertThat(get("/actuator/spream/audit").statusCode()).isEqualTo(404);

        assertThat(get("/actuator/metrics/spream.changes.settled?tag=subscription:orders")
                        .statusCode())
                .isEqualTo(200);
        assertThat(context.getBean(MeterRegistry.class)
                        .find("spream.deliveries")
                        .tag("subscription", "orders")
                        .counter())
                .isNotNull();
        InMemorySpanExporter spans = context.getBean(InMemorySpanExporter.class);
        context.getBean(SpreamSubscriptions.class).stop("orders"); // a span ends when its call has returned
        assertThat(spans.getFinishedSpanItems())
                .singleElement()
                .satisfies(span -> assertThat(span.getKind()).isEqualTo(SpanKind.CONSUMER));
    }

    @Test
    @Order(2)
    void health_and_readiness_follow_the_subscription() throws Exception {
        context.getBean(SpreamSubscriptions.class).start("orders"); // harmless where it runs
        await(Phase.RUNNING);
        assertThat(get("/actuator/health/readiness").statusCode()).isEqualTo(200);
        assertThat(get("/actuator/health").body()).contains("\"spream\":{", "\"phase\":\"RUNNING\"");

        write("poison");
        await(Phase.FAILED);

        assertThat(get("/actuator/health/readiness").statusCode()).isEqualTo(503);
        assertThat(get("/actuator/health/liveness").statusCode()).isEqualTo(200);
        assertThat(get("/actuator/health").body()).contains("failed for good").doesNotContain("poison");
    }

    private static void write(String id) {
        context.getBean(SpannerConnection.class)
                .client()
                .write(List.of(
                        Mutation.newInsertBuilder("Orders").set("Id").to(id).build()));
    }

    private static void await(Phase phase) throws InterruptedException {
        SpreamSubscriptions subscriptions = context.getBean(SpreamSubscriptions.class);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (subscriptions.status("orders").phase() != phase) {
            assertThat(System.nanoTime())
                    .as(subscriptions.statuses().toString())
                    .isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private static HttpResponse<String> get(String path) throws IOException, InterruptedException {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        return HTTP.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:%s%s".formatted(port, path)))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {
        final BlockingQueue<String> consumed = new LinkedBlockingQueue<>();

        @Bean
        Consumer orders() {
            ChangeHandler handler = change -> {
                String id = change.mods().getFirst().keys().string("Id").orElseThrow();
                if (id.equals("poison")) {
                    throw new IllegalStateException("refused");
                }
                consumed.add(id);
            };
            return handler;
        }

        @Bean
        InMemorySpanExporter exporter() {
            return InMemorySpanExporter.create();
        }

        @Bean
        OpenTelemetry openTelemetry(InMemorySpanExporter exporter) {
            return OpenTelemetrySdk.builder()
                    .setTracerProvider(SdkTracerProvider.builder()
                            .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                            .build())
                    .build();
        }
    }
}
