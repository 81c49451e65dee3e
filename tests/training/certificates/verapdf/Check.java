import java.io.FileInputStream;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.results.TestAssertion;

/** Prints, for each PDF, whether it is the PDF/A that it declares, and what breaks which rule where it is not. */
class Check {
    public static void main(String[] files) throws Exception {
        VeraGreenfieldFoundryProvider.initialise();
        for (String file : files) {
            try (var parser = Foundries.defaultInstance().createParser(new FileInputStream(file));
                 var validator = Foundries.defaultInstance().createValidator(parser.getFlavour(), false)) {
                var result = validator.validate(parser);
                System.out.println(result.isCompliant() + " " + file + " declares " + parser.getFlavour());
                for (TestAssertion each : result.getTestAssertions()) {
                    if (each.getStatus() == TestAssertion.Status.FAILED) {
                        System.out.println("  " + each.getRuleId().getClause() + ": " + each.getMessage());
                    }
                }
            }
        }
    }
}
