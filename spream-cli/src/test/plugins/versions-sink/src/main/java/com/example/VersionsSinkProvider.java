package com.example;

import com.google.gson.Gson;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.consume.Consumer;
import java.util.Map;

/** Prints the key of each change, and which Gson it was written with. */
public final class VersionsSinkProvider implements ConsumerProvider {

    @Override
    public String name() {
        return "versions";
    }

    @Override
    public Consumer create(PluginConfig config, PluginContext context) {
        return (ChangeHandler) change -> {
            Map<String, String> line = Map.of(
                    "gson", version(), "keys", change.mods().getFirst().keys().toString());
            System.out.println(new Gson().toJson(line));
        };
    }

    /** By reflection: a constant would be that of the compilation. */
    private static String version() throws ReflectiveOperationException {
        return (String) Class.forName("com.google.gson.internal.GsonBuildConfig")
                .getField("VERSION")
                .get(null);
    }
}
