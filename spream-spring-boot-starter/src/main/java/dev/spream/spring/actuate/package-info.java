/**
 * Health and the endpoint {@code spream} of Spring Boot's Actuator. Only this package uses it. Read {@link
 * dev.spream.spring.actuate.SpreamHealthIndicator} first.
 */
@NullMarked
package dev.spream.spring.actuate;

import org.jspecify.annotations.NullMarked;
