package dev.spream.storage.spanner.client;

import com.google.api.core.ApiFunction;
import com.google.cloud.spanner.SpannerOptions;
import com.google.cloud.spanner.spi.v1.SpannerRpc;
import io.grpc.ManagedChannelBuilder;
import java.time.Duration;

/** The client's options, with channels that are watched for silence. */
@SuppressWarnings("unchecked") // the client's own toBuilder
public final class WatchedOptions extends SpannerOptions {
    private static final long serialVersionUID = 1;

    private final transient SilenceWatch watch;

    /** @param unanswered the time for which a call must have received nothing for its connection to count as silent */
    public WatchedOptions(SpannerOptions.Builder builder, Duration unanswered) {
        super(builder);
        this.watch = new SilenceWatch(unanswered);
    }

    /** Returns the client's calls. */
    public SpannerRpc rpc() {
        return getSpannerRpcV1();
    }

    /** {@inheritDoc} Not set in the builder, which replaces it for an emulator. */
    @Override
    @SuppressWarnings("rawtypes") // as the client declares it
    public ApiFunction<ManagedChannelBuilder, ManagedChannelBuilder> getChannelConfigurator() {
        ApiFunction<ManagedChannelBuilder, ManagedChannelBuilder> given = super.getChannelConfigurator();
        return channel -> watch.watching(given == null ? channel : given.apply(channel));
    }
}
