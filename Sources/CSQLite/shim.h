#include <sqlite3.h>

// Functions with variable arguments, which Swift cannot call: nothing in the schema of a file runs code of its own.
static inline int jp_sqlite_distrust_schema(sqlite3 *connection) {
    int status = sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (status == SQLITE_OK) status = sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
    if (status == SQLITE_OK) status = sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
    if (status == SQLITE_OK) status = sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
    // A name that no column has is no text.
    if (status == SQLITE_OK) status = sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
    if (status == SQLITE_OK) status = sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
    return status;
}
