package dev.spream.spring.test;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/** Bootstraps {@link SpreamTest}. */
final class SpreamTestBootstrapper extends TestSliceTestContextBootstrapper<SpreamTest> {}
