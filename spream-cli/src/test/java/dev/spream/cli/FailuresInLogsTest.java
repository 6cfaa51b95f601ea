package dev.spream.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreePath;
import dev.spream.core.LoggedFailure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.Types;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * No exception is logged with what its message may quote of rows, answers and secrets: it goes through {@link LoggedFailure}, and
 * so does its message alone, through a local variable too. A message that reaches the log through a field or another method is
 * not seen.
 */
final class FailuresInLogsTest {
    /** The emulator has nothing but what tests write. */
    private static final Pattern LOGGING = Pattern.compile(
            "\\Apackage (?!dev\\.spream\\.emulator)[^\\x00]*import (org\\.slf4j|io\\.opentelemetry)\\.");

    @Test
    void every_module_logs_failures_without_payloads() throws IOException {
        assertThat(ProductSources.scan(text -> LOGGING.matcher(text).find(), 80, Logging::new))
                .isEmpty();
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
                        String message = e.getMessage();
                        log.warn("failed: {}", message);
                        String longer;
                        longer = "it said " + e;
                        longer = longer + ", as before";
                        log.warn("{}", longer);
                        String cut = LoggedFailure.message(e);
                        log.warn("failed: {}", cut);
                        int length = e.getMessage().length();
                        log.warn("{} characters", length);
                    }
                    static void logged(String text, Object... values) {}
                }
                """;
        assertThat(ProductSources.scan(text, Logging::new)).hasSize(15);
    }

    private static final class Logging extends ProductSources.Rule {
        private static final Set<String> LOGGERS =
                Set.of("org.slf4j.Logger", "org.slf4j.spi.LoggingEventBuilder", "io.opentelemetry.api.trace.Span");
        /** Both leave out what a message may quote. */
        private static final Set<String> CUTTING =
                Set.of(LoggedFailure.class.getName(), "dev.spream.projection.runner.ErrorText");

        private static final Set<String> TELLING = Set.of("getMessage", "getLocalizedMessage", "toString");

        private final Types types;
        private final TypeMirror throwable;
        private final Map<Element, List<TreePath>> texts = new HashMap<>();
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
            if (CUTTING.contains(owner)) {
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
            if (logged) {
                lookAtParts(operation);
            }
            return super.visitBinary(operation, null);
        }

        @Override
        public @Nullable Void visitVariable(VariableTree variable, @Nullable Void none) {
            keep(element(), variable.getInitializer());
            return super.visitVariable(variable, null);
        }

        @Override
        public @Nullable Void visitAssignment(AssignmentTree assignment, @Nullable Void none) {
            keep(element(assignment.getVariable()), assignment.getExpression());
            return super.visitAssignment(assignment, null);
        }

        private void keep(@Nullable Element variable, @Nullable ExpressionTree value) {
            if (variable != null
                    && value != null
                    && variable.getKind() == ElementKind.LOCAL_VARIABLE
                    && variable.asType().toString().equals(String.class.getName())) {
                texts.computeIfAbsent(variable, unseen -> new ArrayList<>()).add(new TreePath(getCurrentPath(), value));
            }
        }

        /** A value assigned to a variable counts as logged if the variable is logged. */
        @Override
        public @Nullable Void visitIdentifier(IdentifierTree name, @Nullable Void none) {
            Element element = element();
            List<TreePath> values = logged && element != null ? texts.remove(element) : null;
            if (values != null) {
                values.forEach(value -> scan(value, null));
            }
            return super.visitIdentifier(name, null);
        }

        @Override
        void look(ExpressionTree value) {
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
            return element(value) instanceof ExecutableElement method && CUTTING.contains(owner(method));
        }

        private static String owner(ExecutableElement method) {
            return String.valueOf(method.getEnclosingElement());
        }
    }
}
