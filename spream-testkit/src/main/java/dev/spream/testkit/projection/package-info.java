/**
 * The contracts of projection stores: {@link dev.spream.testkit.projection.ProjectionStoreContract}, {@link
 * dev.spream.testkit.projection.ProjectionOperationsContract} and {@link
 * dev.spream.testkit.projection.ProjectionRebuildsContract}, which authors of a store extend with a {@link
 * dev.spream.testkit.projection.ProjectionStoreFixture}. {@link dev.spream.testkit.projection.ProjectionTester} and {@link
 * dev.spream.testkit.projection.SqlProjectionTester} test a projection by itself.
 */
@NullMarked
package dev.spream.testkit.projection;

import org.jspecify.annotations.NullMarked;
