//! go.mod: the Go version, and important modules.

use super::lines::code;
use super::packages::{Packages, known, other};
use super::{Fact, Facts, Kind, Source};

const MODULES: &Packages = &[
    (
        Kind::Framework,
        "github.com/gin-gonic/gin=gin github.com/labstack/echo=echo github.com/go-chi/chi=chi \
         github.com/gofiber/fiber=fiber gorm.io/gorm=gorm github.com/jackc/pgx=postgres \
         github.com/lib/pq=postgres github.com/spf13/cobra=cobra github.com/go-sql-driver/mysql=mysql \
         go.mongodb.org/mongo-driver=mongodb github.com/redis/go-redis=redis github.com/segmentio/kafka-go=kafka \
         github.com/IBM/sarama=kafka github.com/golang-migrate/migrate=golang-migrate \
         github.com/pressly/goose=goose go.uber.org/zap=zap github.com/rs/zerolog=zerolog \
         github.com/prometheus/client_golang=prometheus github.com/oapi-codegen/runtime=oapi-codegen \
         github.com/hashicorp/terraform-plugin-framework=terraform-plugin google.golang.org/grpc=grpc \
         k8s.io/client-go=kubernetes",
    ),
    (
        Kind::TestPlugin,
        "github.com/stretchr/testify=testify go.uber.org/goleak=goleak pgregory.net/rapid=rapid \
         github.com/onsi/ginkgo=ginkgo go.uber.org/mock=gomock \
         github.com/testcontainers/testcontainers-go=testcontainers",
    ),
];

pub(super) fn read(source: &Source<'_>, out: &mut Facts) {
    for (number, line) in source.text.lines().enumerate() {
        let line = line.trim().trim_start_matches("require ").trim();
        if let Some(version) = line.strip_prefix("go ") {
            let fact = Fact::new(Kind::Language, format!("Go {}", code(version))).id("lang-go");
            out.put(source, number + 1, fact.about("go golang"));
            let fact = Fact::new(Kind::TestCommand, "`go test ./...` runs the tests").id("go.test");
            out.command(source, 0, fact.about("go test tests"), "go test ./...");
        }
        let mut words = line.split_whitespace();
        let (Some(module), Some(version)) = (words.next(), words.next()) else { continue };
        let is = |path: &str| module.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if line.ends_with("// indirect") || !version.starts_with('v') {
            continue;
        }
        let text = format!("`{module}` {version}");
        let fact = known(MODULES, is).map(|(id, kind)| Fact::new(kind, &*text).id(id).about(id));
        let major = |part: &&str| part.strip_prefix('v').is_none_or(|rest| rest.parse::<u32>().is_err());
        let short = module.rsplit('/').find(major).filter(|_| module.contains('.'));
        if let Some(fact) = fact.or_else(|| other(short?, &text)) {
            out.put(source, number + 1, fact);
        }
    }
}
