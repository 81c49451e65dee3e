import eu.europa.esig.dss.model.FileDocument;
import eu.europa.esig.dss.spi.validation.CommonCertificateVerifier;
import eu.europa.esig.dss.spi.x509.CommonTrustedCertificateSource;
import eu.europa.esig.dss.spi.DSSUtils;
import eu.europa.esig.dss.validation.SignedDocumentValidator;
import java.io.File;

/** Prints, for each PDF, what the validator of the European Commission says of its signatures. The first argument is
 *  the certificate to trust. */
class Validate {
    public static void main(String[] arguments) throws Exception {
        var trusted = new CommonTrustedCertificateSource();
        trusted.addCertificate(DSSUtils.loadCertificate(new File(arguments[0])));
        for (int n = 1; n < arguments.length; n++) {
            var verifier = new CommonCertificateVerifier();
            verifier.setTrustedCertSources(trusted);
            var validator = SignedDocumentValidator.fromDocument(new FileDocument(arguments[n]));
            validator.setCertificateVerifier(verifier);
            var reports = validator.validateDocument();
            var simple = reports.getSimpleReport();
            var diagnostic = reports.getDiagnosticData();
            for (String id : simple.getSignatureIdList()) {
                var signature = diagnostic.getSignatureById(id);
                System.out.println(arguments[n] + " " + simple.getSignatureFormat(id) + " intact="
                    + signature.isSignatureIntact() + " valid=" + signature.isSignatureValid() + " timestamps="
                    + signature.getTimestampList().stream().filter(t -> t.isSignatureIntact() && t.isMessageImprintDataIntact()).count()
                    + " " + simple.getIndication(id) + " " + simple.getSubIndication(id));
            }
        }
    }
}
