/** The emulator in JUnit Jupiter tests: a server for each test class, a database for each test. */
@NullMarked
package dev.spream.emulator.junit;

import org.jspecify.annotations.NullMarked;
