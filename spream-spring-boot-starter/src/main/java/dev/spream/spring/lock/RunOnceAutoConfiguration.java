package dev.spream.spring.lock;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Locks the methods with {@link RunOnce}. */
@AutoConfiguration
public final class RunOnceAutoConfiguration {
    /** Creates the configuration; called by Spring. */
    public RunOnceAutoConfiguration() {}

    @Bean
    static RunOncePostProcessor spreamRunOnce(ConfigurableListableBeanFactory beanFactory) {
        return new RunOncePostProcessor(beanFactory);
    }
}
