/**
 * Buckets, the rows that locks are taken on, created and checked for operators: {@link
 * dev.spream.lock.provisioning.BucketProvisioning} is the port.
 */
@NullMarked
package dev.spream.lock.provisioning;

import org.jspecify.annotations.NullMarked;
