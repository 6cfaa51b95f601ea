package dev.spream.storage.spanner;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.gax.grpc.GrpcCallContext;
import com.google.api.gax.rpc.ApiCallContext;
import com.google.cloud.spanner.SpannerOptions.CallContextConfigurator;
import com.google.spanner.v1.ExecuteSqlRequest;
import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Counts what a client receives of the change stream queries of partitions, as gRPC tells it. */
final class ReceivedMessages implements CallContextConfigurator {
    private final BlockingQueue<Long> arrivals = new LinkedBlockingQueue<>();
    private final AtomicInteger compressed = new AtomicInteger();
    private int messages;
    private long bytes;
    private long largest;

    @Override
    public <ReqT, RespT> ApiCallContext configure(
            ApiCallContext context, ReqT request, MethodDescriptor<ReqT, RespT> method) {
        if (!(request instanceof ExecuteSqlRequest query) || !query.getSql().contains("READ_")) {
            return context;
        }
        GrpcCallContext call = (GrpcCallContext) context;
        return call.withCallOptions(call.getCallOptions().withStreamTracerFactory(new Tracers()));
    }

    private final class Tracers extends ClientStreamTracer.Factory {
        @Override
        public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
            return new ClientStreamTracer() {
                @Override
                public void inboundMessageRead(int seqNo, long wireSize, long uncompressedSize) {
                    if (uncompressedSize < 0) {
                        compressed.incrementAndGet();
                    }
                    arrivals.add(wireSize);
                }
            };
        }
    }

    /** Forgets everything. */
    void reset() {
        arrivals.clear();
        compressed.set(0);
        messages = 0;
        bytes = 0;
        largest = 0;
    }

    /** Waits until so many bytes have come, and then until no more come for a moment. */
    void awaitQuiet(long atLeast) throws InterruptedException {
        while (bytes < atLeast) {
            Long arrived = arrivals.poll(30, SECONDS);
            assertThat(arrived)
                    .as("a message after %d of %d bytes", bytes, atLeast)
                    .isNotNull();
            count(arrived);
        }
        @Nullable Long arrived = arrivals.poll(50, MILLISECONDS);
        while (arrived != null) {
            count(arrived);
            arrived = arrivals.poll(50, MILLISECONDS);
        }
    }

    private void count(long size) {
        messages++;
        bytes += size;
        largest = Math.max(largest, size);
    }

    int messages() {
        return messages;
    }

    /** Returns the number of compressed messages, whose size gRPC does not report. */
    int compressed() {
        return compressed.get();
    }

    /** As on the wire. */
    long bytes() {
        return bytes;
    }

    long largest() {
        return largest;
    }
}
