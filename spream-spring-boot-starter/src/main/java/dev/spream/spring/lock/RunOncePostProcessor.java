package dev.spream.spring.lock;

import static java.util.Objects.requireNonNull;

import dev.spream.lock.HierarchicalLocks;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.core.ResolvableType;

/** Puts {@link RunOnceInterceptor} around the beans with such methods, outside of other interceptors. */
final class RunOncePostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {
    private static final long serialVersionUID = 1L;

    private final transient RunOnceInterceptor interceptor;

    /** Creates one that calls the class of a bean, not its interfaces alone, and is called before schedulers are. */
    RunOncePostProcessor(ConfigurableBeanFactory beanFactory) {
        setProxyTargetClass(true);
        setBeforeExistingAdvisors(true);
        setOrder(LOWEST_PRECEDENCE - 1);
        EmbeddedValueResolver values = new EmbeddedValueResolver(beanFactory);
        ObjectProvider<HierarchicalLocks<?>> locks =
                beanFactory.getBeanProvider(ResolvableType.forClass(HierarchicalLocks.class));
        interceptor = new RunOnceInterceptor(locks, text -> requireNonNull(values.resolveStringValue(text)));
        advisor = new DefaultPointcutAdvisor(new AnnotationMatchingPointcut(null, RunOnce.class, true), interceptor);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        interceptor.check(AopUtils.getTargetClass(bean));
        return super.postProcessAfterInitialization(bean, name);
    }
}
