package dev.spream.sinks;

import dev.spream.api.spi.PluginContext;
import java.time.InstantSource;

/** The context that a test passes to a provider. */
public final class TestContext implements PluginContext {

    @Override
    public InstantSource clock() {
        return InstantSource.system();
    }

    @Override
    public String subscription() {
        return "Orders";
    }

    @Override
    public void onClose(AutoCloseable resource) {
        throw new UnsupportedOperationException("what is built in closes itself");
    }
}
