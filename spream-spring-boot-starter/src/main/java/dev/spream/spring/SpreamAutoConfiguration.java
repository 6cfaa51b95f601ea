package dev.spream.spring;

import dev.spream.api.plugin.PluginRegistry;
import dev.spream.spring.SpreamProperties.FailureAction;
import java.nio.file.Path;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Assembles the subscriptions of the application: {@link SpreamSubscriptions}. */
@AutoConfiguration
@ConditionalOnProperty(name = "spream.enabled", matchIfMissing = true)
@EnableConfigurationProperties(SpreamProperties.class)
public final class SpreamAutoConfiguration {
    private static final String PLUGINS = "spream.defaults.plugins";

    /** Creates the configuration; called by Spring. */
    public SpreamAutoConfiguration() {}

    /** The plug-ins of the class path, and of the folder {@code spream.defaults.plugins}. */
    @Bean
    @ConditionalOnMissingBean
    PluginRegistry spreamPlugins(Environment environment) {
        return PluginRegistry.discover(
                Optional.ofNullable(environment.getProperty(PLUGINS)).map(Path::of));
    }

    @Bean
    SpreamSubscriptions spreamSubscriptions(
            ConfigurableApplicationContext context,
            PluginRegistry plugins,
            SpreamProperties properties,
            ObjectProvider<SpreamCustomizer> customizers,
            ObjectProvider<StorageFromBean> storages) {
        SubscriptionAssembly assembly = new SubscriptionAssembly(
                context.getBeanFactory(),
                context.getEnvironment(),
                plugins,
                customizers.orderedStream().toList(),
                storages.orderedStream().toList());
        return new SpreamSubscriptions(
                assembly.assemble(), properties.autoStartup(), () -> act(properties.failureAction(), context));
    }

    /** Acts on a thread of its own: closing waits for the subscriptions, one of whose threads calls this. */
    private static void act(FailureAction action, ConfigurableApplicationContext context) {
        switch (action) {
            case REPORT -> {}
            case CLOSE -> Thread.ofPlatform().name("spream-close").start(context::close);
            case EXIT ->
                Thread.ofPlatform()
                        .name("spream-exit")
                        .start(() -> System.exit(Math.max(1, SpringApplication.exit(context, () -> 1))));
        }
    }
}
