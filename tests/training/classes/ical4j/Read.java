import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.fortuna.ical4j.data.CalendarBuilder;
import net.fortuna.ical4j.model.Calendar;
import net.fortuna.ical4j.model.Component;
import net.fortuna.ical4j.model.Parameter;
import net.fortuna.ical4j.model.Property;
import net.fortuna.ical4j.model.component.VEvent;
import net.fortuna.ical4j.model.property.DtStart;

/**
 * Reads every calendar in a folder, validates it as a message of RFC 5546, and prints a line for each: the name of the
 * file, METHOD, UID, SEQUENCE and the start in seconds since 1970.
 */
public class Read {
    public static void main(String[] arguments) throws Exception {
        List<Path> files;
        try (Stream<Path> listed = Files.list(Path.of(arguments[0]))) {
            files = listed.filter(each -> each.toString().endsWith(".ics")).sorted().collect(Collectors.toList());
        }
        for (Path file : files) {
            System.out.println(file.getFileName() + " " + read(file));
        }
    }

    private static String read(Path file) throws Exception {
        Calendar calendar;
        try (Reader reader = Files.newBufferedReader(file)) {
            calendar = new CalendarBuilder().build(reader);
        }
        calendar.validate(true);
        List<VEvent> events = calendar.getComponents(Component.VEVENT);
        if (events.size() != 1) {
            throw new IllegalStateException(file + " has " + events.size() + " events");
        }
        VEvent event = events.get(0);
        DtStart<?> start = event.<DtStart<?>>getProperty(Property.DTSTART).get();
        return String.join(" ", calendar.<Property>getProperty(Property.METHOD).get().getValue(),
            event.<Property>getProperty(Property.UID).get().getValue(),
            event.<Property>getProperty(Property.SEQUENCE).get().getValue(),
            Long.toString(start.getDate().getLong(ChronoField.INSTANT_SECONDS)));
    }
}
