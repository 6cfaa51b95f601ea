package dev.spream.storage.jdbc.lock;

import dev.spream.storage.jdbc.MySqlDatabase;

/** Each of the drivers talks to both servers. */
enum MySqlDriver {
    MYSQL,
    MARIADB;

    String url(MySqlDatabase database) {
        return switch (this) {
            case MYSQL -> database.mysqlUrl();
            case MARIADB -> database.mariadbUrl();
        };
    }
}
