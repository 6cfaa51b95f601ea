/**
 * What all parts of this module share: statements with a time limit, what the server's errors mean, migrations, names and
 * times as they pass between Java and PostgreSQL. Public for those parts alone: nothing outside of {@code
 * dev.spream.storage.jdbc} may use it, and it may change in any release.
 */
@NullMarked
package dev.spream.storage.jdbc.internal;

import org.jspecify.annotations.NullMarked;
