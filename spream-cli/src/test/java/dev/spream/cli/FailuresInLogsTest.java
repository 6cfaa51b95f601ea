package dev.spream.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.Tree;
import dev.spream.core.LoggedFailure;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Types;
import javax.tools.JavaFileObject;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * No exception is logged with what its message may quote of rows, answers and secrets: it goes through {@link LoggedFailure}, and
 * so does its message alone.
 */
final class FailuresInLogsTest {
    /** The emulator has nothing but what tests write. */
    private static final Pattern LOGGING = Pattern.compile(
            "\\Apackage (?!dev\\.spream\\.emulator)[^\\x00]*import (org\\.slf4j|io\\.opentelemetry)\\.");

    @Test
    void every_module_logs_failures_without_payloads() throws IOException {
        List<JavaFileObject> sources =
                ProductSources.with(text -> LOGGING.matcher(text).find());
        assertThat(sources).hasSizeGreaterThan(80);
        assertThat(ProductSources.scan(sources, Logging::new)).isEmpty();
    }

    @Test
    void each_way_to_log_one_is_noticed() throws IOException {
        String text = """
                import dev.spream.core.LoggedFailure;
                class Sample {
                    Sample(org.slf4j.Logger log, io.opentelemetry.api.trace.Span span, java.io.IOException e, Throwable[] all) {
                        log.warn("failed", e);
                        log.error("{} failed", 1, e.getCause());
                        log.info("{}: {}", e, 1);
                        log.debug("failed: {}", e.getMessage());
                        log.debug("failed: " + String.valueOf(all[0].getLocalizedMessage()));
                        log.atWarn().setCause(e).log("failed");
                        log.atWarn().addArgument(e).log("failed: {}");
                        log.atWarn().log("failed: {}", e.toString());
                        logged("{} {}", 1, e);
                        span.recordException(e);
                        log.warn("failed: {}", e.getMessage() == null ? "" : "it said " + e);
                        log.warn("failed", all.length == 0 ? null : e);
                        log.warn("failed", all.length == 0 ? null : LoggedFailure.of(e));
                        log.warn("failed: {}", LoggedFailure.message(e));
                        log.warn("failed: {}", e.getClass());
                    }
                    static void logged(String text, Object... values) {}
                }
                """;
        assertThat(ProductSources.scan(ProductSources.sample(text), Logging::new))
                .hasSize(13);
    }

    private static final class Logging extends ProductSources.Rule {
        private static final Set<String> LOGGERS =
                Set.of("org.slf4j.Logger", "org.slf4j.spi.LoggingEventBuilder", "io.opentelemetry.api.trace.Span");
        private static final Set<String> TELLING = Set.of("getMessage", "getLocalizedMessage", "toString");

        private final Types types;
        private final TypeMirror throwable;
        private boolean logged;

        Logging(ProductSources.Unit unit) {
            super(unit);
            types = unit.task().getTypes();
            throwable = unit.task()
                    .getElements()
                    .getTypeElement(Throwable.class.getName())
                    .asType();
        }

        @Override
        public @Nullable Void visitMethodInvocation(MethodInvocationTree call, @Nullable Void none) {
            if (!(element() instanceof ExecutableElement method)) {
                return super.visitMethodInvocation(call, null);
            }
            String owner = owner(method);
            if (owner.equals(LoggedFailure.class.getName())) {
                return null;
            }
            if (logged
                    && TELLING.contains(method.getSimpleName().toString())
                    && isThrowable(requireNonNull(method.getEnclosingElement()).asType())) {
                found(call);
            }
            boolean around = logged;
            logged |= LOGGERS.contains(owner);
            if (logged || (takesAnything(method) && !owner.equals(String.class.getName()))) {
                call.getArguments().forEach(this::look);
            }
            super.visitMethodInvocation(call, null);
            logged = around;
            return null;
        }

        @Override
        public @Nullable Void visitBinary(BinaryTree operation, @Nullable Void none) {
            if (logged && operation.getKind() == Tree.Kind.PLUS) {
                look(operation.getLeftOperand());
                look(operation.getRightOperand());
            }
            return super.visitBinary(operation, null);
        }

        private void look(ExpressionTree value) {
            if (value instanceof ConditionalExpressionTree choice) {
                look(choice.getTrueExpression());
                look(choice.getFalseExpression());
                return;
            }
            TypeMirror type = type(value);
            if (type != null && isThrowable(type) && !isCut(value)) {
                found(value);
            }
        }

        private boolean isThrowable(TypeMirror type) {
            return (type.getKind() == TypeKind.DECLARED || type.getKind() == TypeKind.UNION)
                    && types.isSubtype(type, throwable);
        }

        private boolean isCut(ExpressionTree value) {
            return element(value) instanceof ExecutableElement method
                    && owner(method).equals(LoggedFailure.class.getName());
        }

        private static String owner(ExecutableElement method) {
            return String.valueOf(method.getEnclosingElement());
        }
    }
}
