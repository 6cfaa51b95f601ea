/**
 * Tests of projections, and the contracts of their stores: {@link dev.spream.core.projection.ProjectionStoreContract} and {@link
 * dev.spream.core.projection.ProjectionOperationsContract}, which authors of a store extend and provide a {@link
 * dev.spream.core.projection.ProjectionStoreFixture} for. The contracts have tests of their own: they must fail for what does
 * not keep them. Beside them are the tests of the manager.
 */
@NullMarked
package dev.spream.core.projection;

import org.jspecify.annotations.NullMarked;
