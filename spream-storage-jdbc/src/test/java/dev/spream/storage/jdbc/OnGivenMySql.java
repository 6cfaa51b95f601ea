package dev.spream.storage.jdbc;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Runs a class of tests if the environment {@linkplain MySqlServer#given names a server}, and says on stderr if it does not. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(OnGivenMySql.Condition.class)
public @interface OnGivenMySql {

    /** Judges the class; its methods follow it. */
    final class Condition implements ExecutionCondition {
        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            if (MySqlServer.given().isPresent()) {
                return ConditionEvaluationResult.enabled("the environment names a server");
            }
            String reason = "%s is not run: set MYSQL_URL (or MYSQL_DSN) to run it over MySQL"
                    .formatted(context.getRequiredTestClass().getSimpleName());
            if (context.getTestMethod().isEmpty()) {
                System.err.println(reason);
            }
            return ConditionEvaluationResult.disabled(reason);
        }
    }
}
