/**
 * The data source of the application as the place of partitions and of locks. Only this package uses spream-storage-jdbc and
 * {@code javax.sql}. Read {@link dev.spream.spring.jdbc.DataSourceStorageAutoConfiguration} and {@link
 * dev.spream.spring.jdbc.LocksAutoConfiguration} first.
 */
@NullMarked
package dev.spream.spring.jdbc;

import org.jspecify.annotations.NullMarked;
