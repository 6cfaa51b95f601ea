/**
 * Tests of subscriptions: {@link dev.spream.spring.test.SpreamTest} starts the subscriptions of an application, without
 * the rest of it, on an emulator in the test's process. Needs spream-emulator and spring-boot-starter-test on the class
 * path, in the scope of tests.
 */
@NullMarked
package dev.spream.spring.test;

import org.jspecify.annotations.NullMarked;
