package com.example.shout;

import dev.spream.api.spi.*;
import dev.spream.core.consume.*;
import java.io.*;

public final class ShoutSinkProvider implements ConsumerProvider {
    public String name() {
        return "shout";
    }

    public Consumer create(PluginConfig config, PluginContext context) {
        return (change, delivery) -> new FileOutputStream(FileDescriptor.out).write((change + "!\n").getBytes());
    }
}
