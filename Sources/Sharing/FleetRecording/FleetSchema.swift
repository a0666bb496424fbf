/// The tables in which a fleet is recorded.
///
/// An index of places on all positions would cost a third of the rows that are stored in a second. Who was near a place at a time is
/// found by the time; who was there on a day that has ended, by the trajectories.
///
/// Times are in UTC, and so are the days of the partitions; accuracies and altitudes in metres, speeds in metres a second, courses in
/// degrees, batteries in percent.
enum FleetSchema {
    /// The version of the tables.
    static let version = "1"

    /// What the tables need. Only the administrator of a database may create it.
    static let postgis = "CREATE EXTENSION IF NOT EXISTS postgis"

    static let tables = """
        CREATE SCHEMA fleet;
        CREATE TABLE fleet.setting (name text PRIMARY KEY, value text NOT NULL);
        CREATE TABLE fleet.vehicle (
            id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            topic text NOT NULL UNIQUE,
            name text);
        CREATE TABLE fleet.position (
            vehicle integer NOT NULL,
            time timestamptz NOT NULL,
            point geography(Point, 4326) NOT NULL,
            accuracy real, altitude real, speed real, course real, battery smallint,
            PRIMARY KEY (vehicle, time)
        ) PARTITION BY RANGE (time);
        CREATE INDEX ON fleet.position (time);
        CREATE TABLE fleet.last (
            vehicle integer PRIMARY KEY REFERENCES fleet.vehicle ON DELETE CASCADE,
            time timestamptz NOT NULL,
            point geography(Point, 4326) NOT NULL,
            accuracy real, altitude real, speed real, course real, battery smallint);
        CREATE INDEX ON fleet.last USING gist (point);
        CREATE TABLE fleet.trajectory (
            vehicle integer NOT NULL REFERENCES fleet.vehicle ON DELETE CASCADE,
            day date NOT NULL,
            positions integer NOT NULL,
            distance double precision NOT NULL,
            line geometry(LineStringM, 4326),
            PRIMARY KEY (vehicle, day));
        CREATE TABLE fleet.pending (
            vehicle integer NOT NULL REFERENCES fleet.vehicle ON DELETE CASCADE,
            day date NOT NULL,
            PRIMARY KEY (vehicle, day));
        COMMENT ON TABLE fleet.position IS 'Positions by vehicle and time, a partition a day';
        COMMENT ON TABLE fleet.last IS 'The newest position of each vehicle';
        COMMENT ON TABLE fleet.trajectory IS
            'The line of a vehicle on a day, simplified, with the seconds since 1970 as M, and its length in metres';
        COMMENT ON TABLE fleet.pending IS 'The trajectories that have to be made again';
        INSERT INTO fleet.setting VALUES ('version', '\(version)'), ('client', 'locationd-recorder-' || gen_random_uuid());
        """

    /// The positions of one call, before they are stored.
    static let incoming = """
        CREATE TEMPORARY TABLE incoming (
            topic text, time timestamptz, longitude double precision, latitude double precision,
            accuracy real, altitude real, speed real, course real, battery smallint
        ) ON COMMIT DELETE ROWS
        """

    /// New vehicles, as long as there are fewer than `$1`.
    static let addVehicles = """
        INSERT INTO vehicle (topic)
        SELECT DISTINCT topic FROM incoming WHERE NOT EXISTS (SELECT FROM vehicle WHERE vehicle.topic = incoming.topic)
        LIMIT greatest(0, $1 - (SELECT count(*) FROM vehicle))
        """

    /// The positions that are not known yet, and the finished days whose trajectories they change.
    static let addPositions = """
        WITH added AS (
            INSERT INTO position
            SELECT id, time, ST_MakePoint(longitude, latitude)::geography, accuracy, altitude, speed, course, battery
            FROM incoming JOIN vehicle USING (topic)
            ON CONFLICT DO NOTHING RETURNING vehicle, time
        ), marked AS (
            INSERT INTO pending
            SELECT DISTINCT vehicle, time::date FROM added WHERE time::date < $1::date ON CONFLICT DO NOTHING
        )
        SELECT count(*) FROM added
        """

    static let setLast = """
        INSERT INTO last
        SELECT DISTINCT ON (id)
            id, time, ST_MakePoint(longitude, latitude)::geography, accuracy, altitude, speed, course, battery
        FROM incoming JOIN vehicle USING (topic) ORDER BY id, time DESC
        ON CONFLICT (vehicle) DO UPDATE SET (time, point, accuracy, altitude, speed, course, battery) =
            (excluded.time, excluded.point, excluded.accuracy, excluded.altitude, excluded.speed, excluded.course, excluded.battery)
        WHERE excluded.time > last.time
        """

    /// Marks all trajectories of the day `$1`.
    static let markDay = "INSERT INTO pending SELECT id, $1::date FROM vehicle ON CONFLICT DO NOTHING"
    /// The first day that has not ended.
    static let endedDays = "SELECT value FROM setting WHERE name = 'ended'"
    static let setEndedDays = """
        INSERT INTO setting VALUES ('ended', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value
        """

    /// Makes `$1` of the trajectories that are marked. About 3 m are left out of a line, less than a position is uncertain.
    static let makeTrajectories = """
        WITH chosen AS (
            DELETE FROM pending WHERE (vehicle, day) IN (SELECT vehicle, day FROM pending LIMIT $1)
            RETURNING vehicle, day
        ), made AS (
            SELECT vehicle, day, count(*)::integer AS positions,
                CASE WHEN count(*) > 1 THEN ST_SetSRID(ST_MakeLine(ST_MakePointM(
                    ST_X(point::geometry), ST_Y(point::geometry), extract(epoch FROM time)) ORDER BY time), 4326) END AS line
            FROM chosen JOIN position USING (vehicle)
            WHERE time >= day AND time < day + 1 GROUP BY vehicle, day
        ), stored AS (
            INSERT INTO trajectory
            SELECT vehicle, day, positions, coalesce(ST_Length(line::geography), 0), ST_Simplify(line, 0.00003, true) FROM made
            ON CONFLICT (vehicle, day) DO UPDATE SET (positions, distance, line) =
                (excluded.positions, excluded.distance, excluded.line)
        )
        SELECT count(*) FROM chosen
        """

    static let partitions = """
        SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'position'::regclass
        """

    /// Removes everything from before the day `$1` except positions.
    static let forget = [
        "DELETE FROM trajectory WHERE day < $1::date", "DELETE FROM pending WHERE day < $1::date",
        "DELETE FROM last WHERE time < $1::date",
    ]
    /// Removes the vehicles of which nothing is left.
    static let forgetVehicles = "DELETE FROM vehicle WHERE NOT EXISTS (SELECT FROM last WHERE last.vehicle = id)"

    /// The topics that a name may mean, with what it matches: 1 the topic, or user and device; 2 the device; 3 the name that the vehicle
    /// gives itself.
    static let named = """
        SELECT topic, CASE
            WHEN topic = $1 OR topic = 'owntracks/' || $1 THEN 1 WHEN split_part(topic, '/', 3) = $1 THEN 2 ELSE 3 END AS rank
        FROM vehicle
        WHERE topic = $1 OR topic = 'owntracks/' || $1 OR split_part(topic, '/', 3) = $1 OR lower(name) = lower($1)
        ORDER BY rank, topic
        """

    static let track = """
        SELECT to_char(time, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), ST_Y(point::geometry), ST_X(point::geometry), accuracy, altitude, speed, course
        FROM position JOIN vehicle ON vehicle.id = position.vehicle
        WHERE topic = $1 AND time >= $2 AND time < $3
        ORDER BY time
        """

    static let countPositions = """
        SELECT count(*) FROM position JOIN vehicle ON vehicle.id = position.vehicle WHERE topic = $1
        """
    static let deleteVehicle = [
        "DELETE FROM position USING vehicle WHERE position.vehicle = vehicle.id AND topic = $1",
        "DELETE FROM vehicle WHERE topic = $1",
    ]
}
